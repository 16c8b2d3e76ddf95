import { execFile } from 'node:child_process';
import { availableParallelism, getPriority, setPriority } from 'node:os';

/** The priority lies above all ordinary programs, and below a machine control that runs in real time. */
const PRIORITY = 10;
/** With this niceness an ordinary thread gets nine times as much of a processor as another program's. */
const NICENESS = -10;
const GIVEN_UP_AFTER_MS = 2_000;

/**
 * `obstacle` is the reason for which the main thread does not run in real time, or null if it does. A niceness below 0
 * puts it before other programs.
 */
export interface Scheduling {
  readonly obstacle: string | null;
  readonly niceness: number;
}

/**
 * Puts the main thread, which decides, before other programs, and gives its niceness. The kernel permits it to root and
 * within RLIMIT_NICE (systemd/plantgate.service). The store thread takes this niceness over when it opens the database.
 */
export function lowerNiceness(): number {
  try {
    setPriority(Math.min(NICENESS, getPriority()));
  } catch {
    // The priority stays as it is, and the log says so.
  }
  return getPriority();
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
