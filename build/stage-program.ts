import { createHash } from 'node:crypto';
import { copyFileSync, cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { build, type Plugin } from 'esbuild';
import { readTextFiles, TEXT_FOLDERS } from '../src/adapters/http/documents/text-files.ts';
import { programFile, programFileNames } from '../src/runtime/program-files.ts';
import { THREADS } from '../src/threads.ts';
import { validatorsPrepared } from './prepare-validators.ts';

const require = createRequire(import.meta.url);
const root = path.resolve(import.meta.dirname, '..');

/** Packages that few starts need: each is a file of its own, which is read when it is first required. */
const PACKAGES_APART = ['undici', 'mqtt', 'pg'];

/** Files that the program reads beside itself. */
const ASSETS = ['@resvg/resvg-wasm/index_bg.wasm'];

/**
 * Modules whose `import()` reads a file of its own. `main.cjs` is small: it starts the store thread before the file that
 * holds everything is read. Few store threads get a batch, so they read what that needs when one comes.
 */
const MODULES_APART = {
  'main-thread': 'src/cli/main-thread.ts',
  'read-batch': 'src/adapters/store/thread/received/read-batch.ts',
} as const;

const modulesApart: Plugin = {
  name: 'modules apart',
  setup: ({ onResolve }) =>
    onResolve({ filter: new RegExp(`/(${Object.keys(MODULES_APART).join('|')})\\.ts$`) }, ({ path: file, kind }) =>
      kind === 'dynamic-import' ? { path: `./${path.basename(file, '.ts')}.cjs`, external: true } : null,
    ),
};

const packagesApart: Plugin = {
  name: 'packages apart',
  setup: ({ onResolve }) =>
    onResolve({ filter: new RegExp(`^(${PACKAGES_APART.join('|')})$`) }, ({ path: name, kind }) =>
      kind === 'entry-point' ? null : { path: `./${name}.cjs`, external: true },
    ),
};

/** V8 reads the large tables of packages much faster as JSON than as code. */
const jsonAsText: Plugin = {
  name: 'JSON as text',
  setup: ({ onLoad }) =>
    onLoad({ filter: /\/node_modules\/.*\.json$/ }, ({ path: file }) => ({
      contents: `module.exports = JSON.parse(${JSON.stringify(readFileSync(file, 'utf8'))});`,
    })),
};

export interface StageOptions {
  readonly stage: string;
  /** better-sqlite3's name of the prebuilt addon: `linux-x64`. */
  readonly platform: string;
  /** More files to bundle, each by its name in the stage. */
  readonly more?: Readonly<Record<string, string>>;
}

/**
 * Bundles the program into a folder in the form of the single binary: `main.cjs`, a file for each thread, the addon,
 * the page (`npm run build:page` before), manual, samples and unit files.
 */
export async function stageProgram({ stage, platform, more }: StageOptions): Promise<void> {
  rmSync(stage, { recursive: true, force: true });
  const threads = Object.entries(THREADS).map(([name, file]) => [name, path.join(root, 'src', file)] as const);
  await build({
    entryPoints: {
      'load-program': path.join(root, 'src/single-binary/load-program.ts'),
      main: path.join(root, 'src/main.ts'),
      ...Object.fromEntries(Object.entries(MODULES_APART).map(([name, file]) => [name, path.join(root, file)])),
      ...Object.fromEntries(threads),
      ...Object.fromEntries(PACKAGES_APART.map((name) => [name, name])),
      ...more,
    },
    outdir: stage,
    outExtension: { '.js': '.cjs' },
    bundle: true,
    platform: 'node',
    format: 'cjs',
    target: 'node24',
    // Names stay for stack traces. Keeping them by `keepNames` costs a call for each function, also for each closure.
    minifyWhitespace: true,
    minifySyntax: true,
    // better-sqlite3 has an entry per platform that requires its prebuilt addon by a fixed name.
    alias: {
      'better-sqlite3': `better-sqlite3/${platform}`,
      // Koa's packages bring two versions of mime-types, each with a table of a thousand types.
      'mime-types': path.join(root, 'node_modules/mime-types'),
      // The other form of depd looks for its callers at each start, and warns of outdated calls in Koa's packages.
      depd: path.join(root, 'node_modules/depd/lib/browser'),
      // A copy of Node's streams for browsers and old versions of Node.
      'readable-stream': 'node:stream',
    },
    // A faster driver that pg uses if it is there.
    external: ['pg-native', 'pg-cloudflare'],
    loader: { '.node': 'copy' },
    assetNames: '[name]',
    define: {
      'import.meta.dirname': '__dirname',
      'import.meta.filename': '__filename',
      'import.meta.url': '__importMetaUrl',
      PLANTGATE_BUNDLED: 'true',
    },
    banner: { js: 'const __importMetaUrl = require("node:url").pathToFileURL(__filename).href;' },
    // The loader of the single binary gives each file to `require`. `import()` would look for it on the disk.
    supported: { 'dynamic-import': false },
    plugins: [modulesApart, packagesApart, validatorsPrepared, jsonAsText],
    legalComments: 'none',
    absWorkingDir: root,
    logLevel: 'warning',
  });
  cpSync(path.join(root, 'dist/page'), path.join(stage, 'page'), { recursive: true });
  cpSync(path.join(root, 'systemd'), path.join(stage, 'systemd'), { recursive: true });
  for (const folder of ['migrations', 'central-migrations']) {
    mkdirSync(path.join(stage, folder));
    for (const name of programFileNames(folder).filter((one) => one.endsWith('.sql')))
      writeFileSync(path.join(stage, folder, name), programFile(`${folder}/${name}`));
  }
  for (const folder of TEXT_FOLDERS) {
    for (const [name, text] of readTextFiles(folder)) {
      const file = path.join(stage, folder, name);
      mkdirSync(path.dirname(file), { recursive: true });
      writeFileSync(file, text);
    }
  }
  for (const asset of ASSETS) copyFileSync(require.resolve(asset), path.join(stage, path.basename(asset)));
  writeFileSync(path.join(stage, 'identity'), fingerprint(stage));
}

/** Names the program by its scripts and its addon. */
function fingerprint(stage: string): string {
  const hash = createHash('sha256');
  const files = readdirSync(stage).filter((name) => /\.(cjs|node)$/.test(name));
  for (const name of files.sort()) hash.update(readFileSync(path.join(stage, name)));
  return hash.digest('hex').slice(0, 16);
}
