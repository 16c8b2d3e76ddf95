import { setFlagsFromString } from 'node:v8';

/** The limit of each half of the young generation of a thread. */
const HALF_MIB = 2;

/**
 * Gives all threads that start from now on a small young generation. Messages from the main thread soon become garbage
 * there, much of it outside the heap, and a small one gives the memory back soon. The size of the main thread's
 * (`--max-semi-space-size`) would hold for threads too, and no `resourceLimits` are heeded beside it.
 */
export function keepThreadsSmall(): void {
  setFlagsFromString(`--max-semi-space-size=${HALF_MIB}`);
}
