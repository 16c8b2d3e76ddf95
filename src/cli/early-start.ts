import { EarlyThread } from '../adapters/store/client/early-thread.ts';
import { lowerNiceness, type Niceness } from '../adapters/system/niceness.ts';
import { startGarbageCollector } from '../runtime/start-garbage.ts';

/** The parts of `plantgate run` that exist before the rest of the program is loaded. */
export interface EarlyStart {
  readonly earlyThread: EarlyThread;
  readonly niceness: Niceness;
  readonly collectGarbage: () => void;
}

/**
 * Prepares the collection of garbage, starts the store thread, and puts the main thread before all others, because a
 * start takes as long as the main thread does. The order matters: V8's flags must not change while a thread loads, and a
 * thread takes over the niceness of the one that starts it.
 */
export function startEarly(storeThreadEntry: URL | string): EarlyStart {
  const collectGarbage = startGarbageCollector();
  const earlyThread = new EarlyThread(storeThreadEntry);
  return { earlyThread, niceness: lowerNiceness(), collectGarbage };
}
