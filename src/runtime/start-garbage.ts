import { Session } from 'node:inspector/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/**
 * Collects the garbage of the main thread's loading once, in 20 ms, while the store thread opens the database. The engine
 * would do it later, when machines are served. V8's flags hold for all threads, so only the
 * main thread may change them: two threads that did this at the same time ended the start with "gc is not defined".
 */
export function collectStartGarbage(): void {
  setFlagsFromString('--expose-gc');
  const collect: unknown = runInNewContext('gc');
  // Another thread may still load its scripts (see tuneEngine).
  setFlagsFromString('--no-expose-gc');
  if (typeof collect === 'function') collect({ type: 'major', execution: 'sync', flavor: 'regular' });
}

/**
 * Collects all garbage of this thread's start once, between two turns of its loop: some 10 MB in the store thread. It
 * takes three times as long as the other, frees some MB more, and changes no flag.
 */
export async function collectAllStartGarbage(): Promise<void> {
  const session = new Session();
  session.connect();
  await session.post('HeapProfiler.collectGarbage');
  session.disconnect();
}
