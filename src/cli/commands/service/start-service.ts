import { type Installation, isLive } from './installation.ts';
import { type Step, step } from './place-file.ts';
import { isSystemdRunning, runProgram, SERVICE, showService, systemctl } from './system-programs.ts';

/** A start that fails mostly does so within this time. A start on a large database may need longer. */
const WATCH_MS = 90_000;

/** Starts the service of this computer, or restarts it. */
export function startService(installation: Installation, verb: 'start' | 'restart'): Step {
  const isPossible = isLive(installation) && isSystemdRunning();
  return isPossible ? startAndWatch(verb, WATCH_MS) : systemctl(installation, [verb, SERVICE]);
}

/** Waits until the service serves. A start that takes longer than `watchMs` goes on by itself, and is no failure. */
export function startAndWatch(verb: 'start' | 'restart', watchMs: number): Step {
  const text = `systemctl ${verb} ${SERVICE}`;
  const { complaint, isLate } = runProgram('systemctl', [verb, SERVICE], watchMs);
  if (complaint === null) return step('done', text);
  if (!isLate || !isStarting()) return step('failed', `${text}: ${complaint}`);
  return step('done', `${text}: it is still starting, as on a large database. Watch it by "journalctl -fu plantgate".`);
}

function isStarting(): boolean {
  const { output } = showService('ActiveState', 'SubState');
  return /^ActiveState=activating$/m.test(output) && /^SubState=start$/m.test(output);
}
