import { execFile } from 'node:child_process';
import { availableParallelism } from 'node:os';

/** Above everything ordinary, below what a machine's own control may run in real time. */
const PRIORITY = 10;
const GIVEN_UP_AFTER_MS = 2_000;

/**
 * Lets the main thread, which decides, go before whatever else the machine does; threads it starts later, which write,
 * search and forward, are scheduled as usual. Gives null, or why this is not so: the kernel permits it to root and within
 * RLIMIT_RTPRIO (systemd/plantgate.service), and without it decisions wait for a processor like everything else.
 */
export async function raiseMainThread(): Promise<string | null> {
  // The engine's main thread polls, without sleep, for what its helpers sweep after a large collection: they need another.
  if (availableParallelism() < 2) return 'there is one processor alone';
  const asked = ['--reset-on-fork', '--rr', '--pid', String(PRIORITY), String(process.pid)];
  return new Promise((resolve) => {
    execFile('chrt', asked, { timeout: GIVEN_UP_AFTER_MS }, (error, _output, told) => {
      if (error === null) resolve(null);
      else resolve(told.trim() || error.message);
    });
  });
}
