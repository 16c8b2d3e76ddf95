import { mkdtempSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { build, type Plugin } from 'esbuild';

/** The gateway of `gateway-process.ts` in two files. */
export interface Bundle {
  readonly dir: string;
  readonly gatewayFile: string;
  readonly storeThreadFile: string;
}

const ENTRIES = ['gateway-process.ts', 'paced-store-thread.ts'];

/** What asks where its file is gets the place of the source: other files are found from there. */
const sourcePlaces: Plugin = {
  name: 'source places',
  setup: ({ onLoad }) =>
    onLoad({ filter: /[\\/](src|test)[\\/].*\.ts$/ }, async ({ path: file }) => {
      const text = await readFile(file, 'utf8');
      const contents = text
        .replaceAll('import.meta.url', JSON.stringify(pathToFileURL(file).href))
        .replaceAll('import.meta.dirname', JSON.stringify(path.dirname(file)))
        .replaceAll('import.meta.filename', JSON.stringify(file));
      return { contents, loader: 'ts' };
    }),
};

/** Bundles it into a directory of its own: a gateway that is killed over and over reads two files then, not a thousand. */
export async function bundleGateway(): Promise<Bundle> {
  const dir = mkdtempSync(path.join(tmpdir(), 'plantgate-bundle-'));
  await bundleSources(
    ENTRIES.map((entry) => path.join(import.meta.dirname, entry)),
    dir,
  );
  const [gatewayFile = '', storeThreadFile = ''] = ENTRIES.map((entry) => path.join(dir, entry.replace('.ts', '.cjs')));
  return { dir, gatewayFile, storeThreadFile };
}

/** Bundles each source into one file `NAME.cjs` of the directory. */
export async function bundleSources(entryPoints: string[], outdir: string): Promise<void> {
  await build({
    entryPoints,
    outdir,
    outExtension: { '.js': '.cjs' },
    bundle: true,
    platform: 'node',
    format: 'cjs',
    alias: { 'better-sqlite3': `better-sqlite3/${process.platform}-${process.arch}` },
    loader: { '.node': 'copy' },
    define: { 'import.meta.url': '__importMetaUrl' },
    banner: { js: 'const __importMetaUrl = require("node:url").pathToFileURL(__filename).href;' },
    logLevel: 'warning',
    plugins: [sourcePlaces],
  });
}
