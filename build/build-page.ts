// npm run build:page; `npm start` does it too. Vite builds src/page into dist/page, each file also as gzip.
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';

const root = path.resolve(import.meta.dirname, '..');
const source = path.join(root, 'src/page');
const outDir = path.join(root, 'dist/page');

/** The sources of the page; a change in them makes a build necessary. */
const INPUTS = [source, path.join(root, 'src/domain'), path.join(root, 'package-lock.json'), import.meta.filename];

function newestMs(file: string): number {
  const stat = statSync(file, { throwIfNoEntry: false });
  if (stat === undefined) return 0;
  if (!stat.isDirectory()) return stat.mtimeMs;
  return Math.max(0, ...readdirSync(file).map((name) => newestMs(path.join(file, name))));
}

function filesIn(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => path.join(entry.parentPath, entry.name));
}

async function buildPage(): Promise<void> {
  // The same format as gzip, 4 % smaller. More iterations take seconds and save nothing.
  const { gzipAsync } = await import('@gfx/zopfli');
  const { build } = await import('vite');
  await build({
    configFile: false,
    root: source,
    logLevel: 'warn',
    // Calls with their children as arguments are 1.3 kB smaller, compressed, than those with a list of children.
    oxc: {
      jsx: { runtime: 'classic', pragma: 'h', pragmaFrag: 'Fragment' },
      jsxInject: "import { h, Fragment } from 'preact'",
    },
    // A read of a signal that is used for nothing else still follows it: what looks unused must stay.
    build: {
      outDir,
      emptyOutDir: true,
      assetsInlineLimit: 0,
      modulePreload: { polyfill: false },
      target: 'es2022',
    },
  });
  const files = filesIn(outDir);
  for (const file of files) writeFileSync(`${file}.gz`, await gzipAsync(readFileSync(file), { numiterations: 5 }));
  const bytes = files.reduce((sum, file) => sum + statSync(`${file}.gz`).size, 0);
  console.log(`built dist/page: ${files.length} files, ${(bytes / 1_000).toFixed(1)} kB compressed`);
}

if (newestMs(path.join(outDir, 'index.html.gz')) < Math.max(...INPUTS.map(newestMs))) await buildPage();
