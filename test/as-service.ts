import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';

const UNIT = readFileSync(path.resolve(import.meta.dirname, '../systemd/plantgate.service'), 'utf8');
const [, AFTER_START = ''] = /^ExecStartPost=-\/bin\/sh -c '(.*)'$/m.exec(UNIT) ?? [];

/** The words before a command so that only its main thread runs in real time. */
export const REAL_TIME: readonly string[] = ['chrt', '--reset-on-fork', '--rr', '10'];

/**
 * Does to a gateway what the unit does once it serves: its main thread gets real time, if this computer permits it. The
 * words `under` come before the unit's command. Gives the exit code.
 */
export function afterStart(pid: number, under: readonly string[] = []): number | null {
  const [command = '', ...words] = [...under, '/bin/sh', '-c', AFTER_START];
  return spawnSync(command, words, { env: { ...process.env, MAINPID: String(pid) }, stdio: 'ignore' }).status;
}

/** Whether this computer lets this user run a program in real time. */
export function isRealTimePermitted(): boolean {
  const [command = '', ...words] = REAL_TIME;
  return spawnSync(command, [...words, 'true']).status === 0;
}

/** The environment of a program that runs as the service does: the tuning in the unit's `Environment=` lines, without its paths. */
export function serviceEnvironment(): NodeJS.ProcessEnv {
  const settings = [...UNIT.matchAll(/^Environment=(.*)$/gm)];
  const words = settings.flatMap(([, line = '']) => line.split(' '));
  const tuning = words.map((word) => word.split(/=(.*)/s, 2)).filter(([name]) => !/^(HOME|PKG_)/.test(name ?? ''));
  return { ...process.env, ...Object.fromEntries(tuning) };
}
