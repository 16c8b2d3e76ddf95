import { errorMessage } from '../../domain/error-text.ts';
import { HOUR_MS } from '../../domain/time.ts';
import type { Incidents, Log } from '../../flows/ports.ts';
import type { Store } from '../../flows/store-ports.ts';
import { runAt } from './timetable.ts';

/** A quiet hour in most plants; the work is still done in slices. */
const EACH_NIGHT = '17 3 * * *';
const EACH_OTHER_HOUR = '17 0-2,4-23 * * *';
/** Longer than the longest day, in which the clocks are put back. */
const MAX_AGE_MS = 25 * HOUR_MS;
/** A refusal is reported when it comes a second time, an hour later, and then once a day. */
const REFUSALS_A_REPORT = 24;

export interface RetentionOptions {
  readonly store: Pick<Store, 'retain'>;
  readonly timeZone: string;
  readonly incidents: Incidents;
  readonly log: Log;
}

/**
 * Deletes records that are older than the configured retention: each night, and within an hour of the start or of a
 * night in which the computer was off.
 */
export function scheduleRetention({ store, timeZone, incidents, log }: RetentionOptions): { stop(): void } {
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
  const attempt = async () => {
    if (isBusy) return;
    isBusy = true;
    await retain()
      .catch((error: unknown) => log.error({ error: errorMessage(error) }, 'retention failed'))
      .finally(() => {
        isBusy = false;
      });
  };
  const attemptIfMissed = async () => {
    if (performance.now() - lastDoneMs > MAX_AGE_MS) await attempt();
  };
  const scheduled = [
    runAt({ cron: EACH_NIGHT, timeZone, log }, attempt),
    runAt({ cron: EACH_OTHER_HOUR, timeZone, log }, attemptIfMissed),
  ];
  const stop = () => {
    for (const each of scheduled) each.stop();
  };
  return { stop };
}
