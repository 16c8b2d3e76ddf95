import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

/** Whether a program of the system exists and works; a test of a sample is left out without it. */
export function works(command: string, ...words: readonly string[]): boolean {
  return spawnSync(command, words, { stdio: 'ignore' }).status === 0;
}

/** `plantgate cert` needs it. Slim images of Node lack it. */
export const hasOpenssl = works('openssl', 'version');

/** The lines that the demo prints, and one sample, need it. */
export const hasCurl = works('curl', '--version');

/** Debian puts it where a normal user's shell does not look. */
export const NGINX = ['/usr/sbin/nginx', 'nginx'].find((command) => works(command, '-v')) ?? null;

/** Debian's Python: another one on the path may lack its packages. */
export const PYTHON = '/usr/bin/python3';

/** paho-mqtt 2, where `.ci/run` installs it: Debian may have 1.6, which hands on no reason string. */
export const PAHO_2 = path.resolve(import.meta.dirname, '../node_modules/.cache/paho-mqtt');

/** The tests of samples whose tools are missing here, each with the command that brings them. */
export function missingTools(): readonly (readonly [test: string, remedy: string])[] {
  const needs: readonly (readonly [test: string, remedy: string, isThere: boolean])[] = [
    ['c', 'apt-get install gcc libc6-dev', works('gcc', '--version')],
    ['esp32', 'apt-get install g++', works('g++', '--version')],
    ['python', 'apt-get install python3-paho-mqtt', works(PYTHON, '-c', 'import paho.mqtt')],
    ['shell', 'apt-get install curl', hasCurl],
    ['real-node-red', 'npm install --prefix node_modules/.cache/node-red node-red', existsSync(NODE_RED)],
  ];
  return needs.filter(([, , isThere]) => !isThere).map(([test, remedy]) => [test, remedy]);
}

/** The headless shell first: the same engine without the windows of a desktop, at half the processor time. */
const BROWSERS = [
  '/usr/bin/chromium-headless-shell',
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
];

/** The path of an installed Chromium; null: none. */
export function findBrowser(): string | null {
  return BROWSERS.find((file) => existsSync(file)) ?? null;
}

/** Firefox as Debian has it, the other engine that plants use; null: it is not installed. */
export function findFirefox(): string | null {
  return ['/usr/bin/firefox-esr', '/usr/bin/firefox'].find((file) => existsSync(file)) ?? null;
}

/** The binary for arm64; `npm run build:binary -- arm64` makes it. */
export const ARM64_BINARY = path.resolve(import.meta.dirname, '../dist/plantgate-linux-arm64');

/** Runs a program for arm64 here, with the libraries of Debian's cross compilers. */
export const ON_ARM64: readonly string[] =
  process.arch === 'arm64' ? [] : ['qemu-aarch64', '-L', '/usr/aarch64-linux-gnu'];

/** The tools that the test of the arm64 binary lacks; null if it has all. */
export function missingForArm64(): string | null {
  const hasEmulator = process.arch === 'arm64' || works('qemu-aarch64', '--version');
  if (!hasEmulator) return 'qemu (apt-get install qemu-user libc6-arm64-cross libstdc++6-arm64-cross)';
  return existsSync(ARM64_BINARY) ? null : 'the binary (npm run build:binary -- arm64)';
}

/** Node-RED, which is too large to be among the packages of the project; `.ci/run` installs it there. */
export const NODE_RED = path.resolve(import.meta.dirname, '../node_modules/.cache/node-red/node_modules/node-red');

/** Whether this process may mount a file system, as root in most containers may. */
export function mayMount(): boolean {
  const place = mkdtempSync(path.join(tmpdir(), 'plantgate-mount-'));
  const mounted = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=1m', 'tmpfs', place]).status === 0;
  if (mounted) execFileSync('umount', [place]);
  rmSync(place, { recursive: true });
  return mounted;
}
