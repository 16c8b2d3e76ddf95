import { execFileSync } from 'node:child_process';
import { chmodSync, copyFileSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { inject } from 'postject';

/** What Node looks for in its own file to find the program that it holds (Node's manual, "Single executable applications"). */
const RESOURCE = 'NODE_SEA_BLOB';
const FUSE = 'NODE_SEA_FUSE_fce680ab2cc467b6e072b8b5df1996b2';

/** The first script of the main thread and of each other thread. */
const LOADER = 'load-program.cjs';

/**
 * The young generation of V8 in MiB a half, as in `npm start`. Node's 64 delays answers by tens of milliseconds while
 * many machines come back. With 16 the gateway holds 10 MiB more and is not measurably faster.
 */
export const V8_OPTIONS: readonly string[] = ['--max-semi-space-size=8'];

export interface ExecutableOptions {
  /** The folder of `stageProgram`. */
  readonly stage: string;
  /** The Node for the target's architecture. */
  readonly node: string;
  readonly out: string;
}

/** Puts a bundled program into a copy of Node. The same program and Node give the same bytes. */
export async function makeExecutable({ stage, node, out }: ExecutableOptions): Promise<Buffer> {
  rmSync(out, { force: true });
  copyFileSync(node, out);
  chmodSync(out, 0o755);
  await inject(out, RESOURCE, resourceOf(stage), { sentinelFuse: FUSE });
  return readFileSync(out);
}

/** Gives the program in the form in which Node reads it. */
function resourceOf(stage: string): Buffer {
  const made = mkdtempSync(path.join(tmpdir(), 'plantgate-binary-'));
  try {
    const config = path.join(made, 'config.json');
    const output = path.join(made, 'resource');
    const assets = Object.fromEntries(stagedFiles(stage).map((name) => [name, assetFile(stage, name, made)]));
    const options = { disableExperimentalSEAWarning: true, execArgv: V8_OPTIONS };
    writeFileSync(config, JSON.stringify({ main: LOADER, output, assets, ...options }));
    // The name of the first script becomes part of the binary, so it does not name a folder of this computer.
    execFileSync(process.execPath, ['--experimental-sea-config', config], { cwd: stage, stdio: 'pipe' });
    return readFileSync(output);
  } finally {
    rmSync(made, { recursive: true });
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

/** The files of a stage, relative to it and sorted, without the licences of packages (dist/THIRD-PARTY-LICENSES). */
function stagedFiles(stage: string): readonly string[] {
  const entries = readdirSync(stage, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const names = entries.map(({ parentPath, name }) => path.relative(stage, path.join(parentPath, name)));
  return names.filter((name) => !name.endsWith('.LEGAL.txt')).sort();
}
