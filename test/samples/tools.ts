import { spawnSync } from 'node:child_process';

/** Whether a program of the system exists and works; a test of a sample is left out without it. */
export function works(command: string, ...words: readonly string[]): boolean {
  return spawnSync(command, words, { stdio: 'ignore' }).status === 0;
}

/** Debian's Python: another one on the path may lack its packages. */
export const PYTHON = '/usr/bin/python3';

/** The tests of samples whose tools are missing here, each with the packages that bring them. */
export function missingTools(): readonly (readonly [test: string, packages: string])[] {
  const needs: readonly (readonly [test: string, packages: string, isThere: boolean])[] = [
    ['c', 'gcc libc6-dev', works('gcc', '--version')],
    ['esp32', 'g++', works('g++', '--version')],
    ['python', 'python3-paho-mqtt', works(PYTHON, '-c', 'import paho.mqtt')],
    ['shell', 'curl', works('curl', '--version')],
  ];
  return needs.filter(([, , isThere]) => !isThere).map(([test, packages]) => [test, packages]);
}
