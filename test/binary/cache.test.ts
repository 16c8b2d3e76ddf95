import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { Program } from '../end-to-end/program.ts';

const binary = path.resolve(import.meta.dirname, `../../dist/plantgate-linux-${process.arch}`);
const ADDON = `linux-${process.arch}.node`;

/** The directory of the unit file's PKG_NATIVE_CACHE_PATH, for one test. */
function emptyCache(): string {
  const cache = mkdtempSync(path.join(tmpdir(), 'plantgate-cache-'));
  onTestFinished(() => rmSync(cache, { recursive: true }));
  return cache;
}

async function startAndStop(cache: string): Promise<void> {
  const program = await Program.start({ binary, environment: { PKG_NATIVE_CACHE_PATH: cache } });
  expect(await program.stop()).toBe(0);
  program.cleanUp();
}

/** The files of the only version in the cache. */
function filesIn(cache: string): readonly string[] {
  const [version = '', ...others] = readdirSync(path.join(cache, 'plantgate'));
  expect(others).toEqual([]);
  const directory = path.join(cache, 'plantgate', version);
  return readdirSync(directory).map((name) => path.join(directory, name));
}

const names = (files: readonly string[]) => files.map((file) => path.basename(file)).sort();
const inodes = (files: readonly string[]) => files.map((file) => [file, statSync(file).ino]);

it('the second start uses the addon of the first, and files of other versions are removed', async () => {
  const cache = emptyCache();
  mkdirSync(path.join(cache, 'plantgate/0123456789abcdef'), { recursive: true });
  writeFileSync(path.join(cache, 'plantgate/0123456789abcdef', ADDON), '');
  await startAndStop(cache);
  const files = filesIn(cache);
  expect(names(files)).toEqual([ADDON]);
  const before = inodes(files);
  await startAndStop(cache);
  expect(inodes(filesIn(cache))).toEqual(before);
});

it.each([
  ['cut off', (bytes: Buffer) => bytes.subarray(0, bytes.length / 2)],
  ['empty', () => Buffer.alloc(0)],
  ['changed in one place', (bytes: Buffer) => Buffer.from(bytes).fill(0xff, bytes.length / 2, bytes.length / 2 + 8)],
])('an addon that is %s is written again', async (_, damaged) => {
  const cache = emptyCache();
  await startAndStop(cache);
  const [addon = ''] = filesIn(cache);
  const whole = readFileSync(addon);
  writeFileSync(addon, damaged(whole));
  await startAndStop(cache);
  expect(readFileSync(addon).equals(whole)).toBe(true);
});

it('a start uses the compiled code that is delivered with Node, in each thread, until it listens', async () => {
  const environment = { PKG_NATIVE_CACHE_PATH: emptyCache(), NODE_DEBUG_NATIVE: 'code_cache' };
  const program = await Program.start({ binary, environment });
  await program.stop();
  program.cleanUp();
  const isReady = (line: string) => line.includes('"msg":"ready"');
  const told = program.log.slice(0, program.log.findIndex(isReady)).filter((line) => line.startsWith('Code cache of '));
  const isForListening = (line: string) => /^Code cache of (internal\/)?(cluster|dns)/.test(line);
  expect(told.filter((line) => line.endsWith(' is rejected') && !isForListening(line))).toEqual([]);
  const inThreads = told.filter((line) => line.includes(' internal/bootstrap/node ') && line.endsWith(' is accepted'));
  expect(inThreads).not.toEqual([]);
});

it('a cache below a missing system directory is reported, and the start ends', () => {
  const dir = emptyCache();
  const ports = { PLANTGATE_HTTP_PORT: '0', PLANTGATE_MQTT_PORT: '0' };
  const env = { PKG_NATIVE_CACHE_PATH: '/proc/plantgate', PLANTGATE_DATA_DIR: path.join(dir, 'data'), ...ports };
  const { status, stdout, stderr } = spawnSync(binary, ['run'], { cwd: dir, env, encoding: 'utf8', timeout: 20_000 });
  expect(status).toBe(73);
  expect(stdout + stderr).toMatch(/SQLite cannot be loaded: .*\/proc\/plantgate.*PKG_NATIVE_CACHE_PATH/);
});

/** A number that no user of this computer has, so the system knows no home for it. */
const USER_WITHOUT_HOME = 54_321;

it.runIf(process.getuid?.() === 0)('a user without a home directory gets advice and the version', () => {
  const dir = emptyCache();
  chmodSync(dir, 0o755);
  const program = path.join(dir, 'plantgate');
  copyFileSync(binary, program);
  const dataDir = path.join(dir, 'data');
  mkdirSync(dataDir);
  chownSync(dataDir, USER_WITHOUT_HOME, USER_WITHOUT_HOME);
  const run = (command: string) => {
    const ids = { uid: USER_WITHOUT_HOME, gid: USER_WITHOUT_HOME };
    const env = { PLANTGATE_DATA_DIR: dataDir, PLANTGATE_HTTP_PORT: '0', PLANTGATE_MQTT_PORT: '0' };
    const { status, stdout, stderr } = spawnSync(program, [command], { ...ids, cwd: dataDir, env, encoding: 'utf8' });
    return { status, output: stdout + stderr };
  };
  expect(run('--version')).toMatchObject({ status: 0 });
  expect(run('check')).toMatchObject({ status: 0 });
  const { status, output } = run('run');
  expect(status).toBe(73);
  expect(output).toMatch(/SQLite cannot be loaded: .*Set PKG_NATIVE_CACHE_PATH to a directory/);
});
