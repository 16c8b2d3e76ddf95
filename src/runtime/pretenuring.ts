import { setFlagsFromString } from 'node:v8';

/**
 * Lets every new object start out as short-lived. At the start thousands of machines come and stay. The engine would
 * learn from that and from then on put records and texts that live a tenth of a second among the long-lived ones. These
 * are megabytes a second that only a large garbage collection frees, with a pause every few seconds.
 */
export function startObjectsShortLived(): void {
  setFlagsFromString('--no-allocation-site-pretenuring');
}
