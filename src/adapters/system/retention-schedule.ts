import { schedule } from 'node-cron';
import type { Incidents, Log } from '../../flows/ports.ts';
import type { Store } from '../../flows/store-ports.ts';

/** A quiet hour in most plants; the work is still done in slices. */
const EVERY_NIGHT = '17 3 * * *';

/** Once a night deletes records that are older than the configured retention. */
export function scheduleRetention(store: Pick<Store, 'retain'>, incidents: Incidents, log: Log): { stop(): void } {
  const task = schedule(EVERY_NIGHT, async () => {
    const result = await store.retain();
    if (result.state === 'done') log.info(result, 'retention done');
    else incidents.report({ kind: 'store', subject: 'retention', detail: result.reason });
  });
  return {
    stop: () => {
      Promise.resolve(task.stop()).catch((error: unknown) =>
        log.error({ error: String(error) }, 'retention schedule did not stop'),
      );
    },
  };
}
