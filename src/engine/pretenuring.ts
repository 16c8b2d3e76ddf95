import { setFlagsFromString } from 'node:v8';

/**
 * Lets every new object start out as short-lived. At the start thousands of machines come and stay. The engine would learn
 * from that and put records and texts that live a tenth of a second among the long-lived ones from then on: megabytes a
 * second that only a large collection of garbage takes away, with a pause every few seconds.
 */
export function startObjectsShortLived(): void {
  setFlagsFromString('--no-allocation-site-pretenuring');
}
