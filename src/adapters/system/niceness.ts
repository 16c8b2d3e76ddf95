import { getPriority, setPriority } from 'node:os';
import { errorMessage } from '../../domain/error-text.ts';

/** With this niceness an ordinary thread gets nine times as much of a processor as another program's. */
const NICENESS = -10;

/** A niceness below 0 puts the main thread before other programs. `nicenessObstacle`: the reason for which it stays. */
export interface Niceness {
  readonly niceness: number;
  readonly nicenessObstacle: string | null;
}

/**
 * Puts the main thread, which decides, before other programs, and gives its niceness then. The kernel permits it to root and
 * within RLIMIT_NICE (systemd/plantgate.service). The store thread takes this niceness over when it opens the database.
 */
export function lowerNiceness(): Niceness {
  try {
    setPriority(Math.min(NICENESS, getPriority()));
    return { niceness: getPriority(), nicenessObstacle: null };
  } catch (error) {
    return { niceness: getPriority(), nicenessObstacle: errorMessage(error) };
  }
}
