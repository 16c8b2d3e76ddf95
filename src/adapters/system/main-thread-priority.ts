import { execFile } from 'node:child_process';
import { availableParallelism } from 'node:os';
import type { Niceness } from './niceness.ts';

/** The priority lies above all ordinary programs, and below a machine control that runs in real time. */
const PRIORITY = 10;
const GIVEN_UP_AFTER_MS = 2_000;

/** `obstacle` is the reason for which the main thread does not run in real time, or null if it does. */
export interface Scheduling extends Niceness {
  readonly obstacle: string | null;
}

/**
 * Gives the main thread priority over everything else on the computer. Any thread may call it. The kernel permits it to
 * root and within RLIMIT_RTPRIO; without it decisions wait for a processor like everything else. Threads that the main
 * thread starts later are ordinary. Gives the obstacle, or null.
 */
export async function giveMainThreadRealTime(): Promise<string | null> {
  // After a large collection the engine's main thread polls without sleep until its helpers have finished: they need
  // another processor.
  if (availableParallelism() < 2) return 'there is one processor alone';
  const asked = ['--reset-on-fork', '--rr', '--pid', String(PRIORITY), String(process.pid)];
  return new Promise((resolve) => {
    execFile('chrt', asked, { timeout: GIVEN_UP_AFTER_MS }, (error, _output, told) => {
      if (error === null) resolve(null);
      else resolve(told.trim() || error.message);
    });
  });
}
