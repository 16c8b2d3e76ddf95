import { spawnSync } from 'node:child_process';

/** The words before a command so that only its main thread runs in real time. */
export const REAL_TIME: readonly string[] = ['chrt', '--reset-on-fork', '--rr', '10'];

/** A gateway takes real time, and priority, by itself if it may (`giveMainThreadRealTime`, `lowerNiceness`): these words forbid it. */
export const WITHOUT_REAL_TIME: readonly string[] = [
  ...['prlimit', '--rtprio=0', '--nice=0'],
  ...(process.getuid?.() === 0 ? ['setpriv', '--bounding-set', '-sys_nice'] : []),
];

/** Whether this computer lets this user run a program in real time. */
export function isRealTimePermitted(): boolean {
  const [command = '', ...words] = REAL_TIME;
  return spawnSync(command, [...words, 'true']).status === 0;
}
