import { errorMessage } from '../../domain/error-text.ts';
import { HOUR_MS } from '../../domain/time.ts';
import type { Incidents, Log } from '../../flows/ports.ts';
import type { Store } from '../../flows/store-ports.ts';
import { everyMinute } from './every-minute.ts';

/** A quiet hour in most plants; the work is still done in slices. */
const QUIET_HOUR = 3;
const MINUTE = 17;
/** Longer than the longest day, in which the clocks are put back. */
const MAX_AGE_MS = 25 * HOUR_MS;
/** A refusal is reported when it comes a second time, an hour later, and then once a day. */
const REFUSALS_A_REPORT = 24;

/**
 * Deletes records that are older than the configured retention: each night, and within an hour of the start or of a
 * night in which the computer was off.
 */
export function scheduleRetention(store: Pick<Store, 'retain'>, incidents: Incidents, log: Log): { stop(): void } {
  let lastDoneMs = Number.NEGATIVE_INFINITY;
  let refusals = 0;
  let isBusy = false;
  const retain = async () => {
    const result = await store.retain();
    if (result.state === 'done') {
      lastDoneMs = performance.now();
      refusals = 0;
      log.info(result, 'retention done');
    } else if (++refusals % REFUSALS_A_REPORT === 2) {
      incidents.report({ kind: 'store', subject: 'retention', detail: result.reason });
    }
  };
  return everyMinute((wallMs) => {
    const time = new Date(wallMs);
    const isDue = time.getHours() === QUIET_HOUR || performance.now() - lastDoneMs > MAX_AGE_MS;
    if (time.getMinutes() !== MINUTE || !isDue || isBusy) return;
    isBusy = true;
    void retain()
      .catch((error: unknown) => log.error({ error: errorMessage(error) }, 'retention failed'))
      .finally(() => {
        isBusy = false;
      });
  });
}
