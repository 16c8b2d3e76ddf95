import { chmodSync, copyFileSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Architecture } from './architectures.ts';

const require = createRequire(import.meta.url);
/** pkg's plain form: the other one (`seaEnhanced`) adds a file system and a loader that the program does not need. */
const { default: sea }: typeof import('@yao-pkg/pkg/lib-es5/sea.js') = require('@yao-pkg/pkg/lib-es5/sea.js');

/** The first script of the main thread and of each other thread. */
const LOADER = 'load-program.cjs';

/**
 * The young generation of V8 in MiB a half, as in `npm start`. Node's 64 delays answers by tens of milliseconds while
 * many machines come back. With 16 the gateway holds 10 MiB more and is not measurably faster.
 */
export const V8_OPTIONS: readonly string[] = ['--max-semi-space-size=8'];

const SEA_CONFIG = { disableExperimentalSEAWarning: true, useSnapshot: false, useCodeCache: false };

export interface ExecutableOptions {
  /** The folder of `stageProgram`. */
  readonly stage: string;
  /** The Node for the target's architecture. */
  readonly node: string;
  readonly arch: Architecture;
  readonly out: string;
}

/** Puts a bundled program into a copy of Node. The same program and Node give the same bytes. */
export async function makeExecutable({ stage, node, arch, out }: ExecutableOptions): Promise<Buffer> {
  rmSync(out, { force: true });
  const made = mkdtempSync(path.join(tmpdir(), 'plantgate-binary-'));
  try {
    copyFileSync(path.join(stage, LOADER), path.join(made, LOADER));
    const assets = Object.fromEntries(stagedFiles(stage).map((name) => [name, assetFile(stage, name, made)]));
    // The path of the first script becomes part of the binary, so it does not name a folder of this computer.
    const seaConfig = { ...SEA_CONFIG, main: `../${LOADER}`, assets, execArgv: V8_OPTIONS };
    const target = { nodeRange: `node${process.versions.node}`, platform: 'linux', arch, output: out } as const;
    // `nodePath` goes into the binary. `useLocalNode`: the one that runs here reads the program, for it has the same
    // version, and one of another architecture cannot run here.
    await inFolder(made, () =>
      sea(path.join(made, LOADER), { seaConfig, targets: [target], nodePath: node, useLocalNode: true }),
    );
    chmodSync(out, 0o755);
    return readFileSync(out);
  } finally {
    rmSync(made, { recursive: true });
  }
}

/** pkg works in a new folder in the folder for temporary files. */
async function inFolder(folder: string, act: () => Promise<void>): Promise<void> {
  const before = tmpdir();
  process.env.TMPDIR = folder;
  try {
    await act();
  } finally {
    process.env.TMPDIR = before;
  }
}

/** A script becomes a function of what it uses, as Node does it when it requires a file. The loader calls that function. */
function assetFile(stage: string, name: string, made: string): string {
  const file = path.join(stage, name);
  if (!name.endsWith('.cjs') || name === LOADER) return file;
  const wrapped = path.join(made, name);
  writeFileSync(wrapped, `(function(exports,require,module,__filename,__dirname){${readFileSync(file, 'utf8')}\n})`);
  return wrapped;
}

/** The files of a stage, relative to it and sorted. */
function stagedFiles(stage: string): readonly string[] {
  const entries = readdirSync(stage, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  return entries.map(({ parentPath, name }) => path.relative(stage, path.join(parentPath, name))).sort();
}
