import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { NODE_RED } from './node-red/installed.ts';

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

/** The tests of samples whose tools are missing here, each with the command that brings them. */
export function missingTools(): readonly (readonly [test: string, cure: string])[] {
  const needs: readonly (readonly [test: string, cure: string, isThere: boolean])[] = [
    ['c', 'apt-get install gcc libc6-dev', works('gcc', '--version')],
    ['esp32', 'apt-get install g++', works('g++', '--version')],
    ['python', 'apt-get install python3-paho-mqtt', works(PYTHON, '-c', 'import paho.mqtt')],
    ['shell', 'apt-get install curl', hasCurl],
    ['real-node-red', 'npm install --prefix node_modules/.cache/node-red node-red', existsSync(NODE_RED)],
  ];
  return needs.filter(([, , isThere]) => !isThere).map(([test, cure]) => [test, cure]);
}
