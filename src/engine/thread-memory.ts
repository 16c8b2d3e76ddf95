import { setFlagsFromString } from 'node:v8';

/**
 * Lets each thread have the young generation that its `resourceLimits` name. The service limits that of the main thread
 * by a flag, and the flag would hold for all threads. To be called before the first thread is started.
 */
export function keepLimitsOfThreads(): void {
  setFlagsFromString('--max-semi-space-size=0');
}
