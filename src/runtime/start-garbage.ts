import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/**
 * Gives a function that collects the garbage of the main thread's loading once, in 20 ms, while the store thread opens
 * the database. The engine would do it later, when machines are served. To be called before any other thread is
 * started: V8's flags hold for all threads, and a thread that loads meanwhile cannot use its compiled code.
 */
export function startGarbageCollector(): () => void {
  setFlagsFromString('--expose-gc');
  const collect: unknown = runInNewContext('gc');
  setFlagsFromString('--no-expose-gc');
  return () => {
    if (typeof collect === 'function') collect({ type: 'major', execution: 'sync', flavor: 'regular' });
  };
}
