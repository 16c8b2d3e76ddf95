import { EarlyThread } from '../adapters/store/client/early-thread.ts';
import { lowerNiceness, type Niceness } from '../adapters/system/niceness.ts';
import { startGarbageCollector } from '../runtime/start-garbage.ts';

/** What the service's command starts with, before the program is loaded. */
export interface EarlyStart {
  readonly earlyThread: EarlyThread;
  readonly niceness: Niceness;
  readonly collectGarbage: () => void;
}

/**
 * Starts the store thread, and puts the main thread before all others, because a start takes as long as the main thread
 * does. A thread takes over the niceness of the one that starts it, so the store thread comes first.
 */
export function startEarly(storeThreadEntry: URL | string): EarlyStart {
  const collectGarbage = startGarbageCollector();
  const earlyThread = new EarlyThread(storeThreadEntry);
  return { earlyThread, niceness: lowerNiceness(), collectGarbage };
}
