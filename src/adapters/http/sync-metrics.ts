import { setTimeout as delay } from 'node:timers/promises';
import { Gauge, type Registry } from 'prom-client';
import type { SyncStatusFlow } from '../../flows/forward/sync-status-flow.ts';
import type { SyncNumbers } from '../../flows/forward/sync-status-ports.ts';
import type { Incidents } from '../../flows/ports.ts';
import { LIMITS } from './limits.ts';

const NUMBERS = [
  ['plantgate_queue_depth', 'Records and points that wait for the central server', 'depth'],
  ['plantgate_queue_bytes', 'Bytes that wait for the central server', 'bytes'],
  ['plantgate_queue_oldest_age_seconds', 'How long ago the oldest that waits happened', 'oldestAgeSeconds'],
  ['plantgate_queue_held', 'Records that wait for a server with the batch extension', 'heldDepth'],
  ['plantgate_queue_set_aside', 'Records that the central server refused', 'setAside'],
  ['plantgate_queue_sent_records_total', 'Records and points that the central server took', 'sentRecords'],
] as const satisfies readonly (readonly [string, string, keyof SyncNumbers])[];

const CONNECTIONS = Object.keys({
  disabled: 0,
  connecting: 0,
  online: 0,
  backingOff: 0,
  refused: 0,
  tooOld: 0,
} satisfies Record<SyncNumbers['connection'], 0>);

/**
 * Figures of the queue for the central server. Each reading of the metrics asks the store once. While a disk hangs, the
 * earlier figures stay, because the others, which say that it hangs, must not wait for it.
 */
export function readSync(registry: Registry, sync: Pick<SyncStatusFlow, 'numbers'>, incidents: Incidents): void {
  let pending: Promise<SyncNumbers | null> | null = null;
  const ask = () => {
    pending ??= sync
      .numbers()
      .catch((error: unknown) => {
        const detail = `the numbers of the queue are those of an earlier reading: ${String(error)}`;
        incidents.report({ kind: 'store', subject: 'metrics', detail });
        return null;
      })
      .finally(() => {
        pending = null;
      });
    return Promise.race([pending, delay(LIMITS.queueNumbersWaitMs, null, { ref: false })]);
  };
  const read = (name: string, help: string, labelNames: string[], set: (gauge: Gauge, numbers: SyncNumbers) => void) =>
    new Gauge({
      name,
      help,
      labelNames,
      registers: [registry],
      async collect() {
        const numbers = await ask();
        if (numbers !== null) set(this, numbers);
      },
    });
  for (const [name, help, key] of NUMBERS) read(name, help, [], (gauge, numbers) => gauge.set(numbers[key]));
  read('plantgate_upstream_state', '1 for how the connection to the central server stands', ['state'], (gauge, now) => {
    for (const state of CONNECTIONS) gauge.set({ state }, Number(state === now.connection));
  });
  read('plantgate_queue_thinned_total', 'Given up for want of room', ['kind'], (gauge, { thinned }) => {
    for (const [kind, count] of Object.entries(thinned)) gauge.set({ kind }, count);
  });
}
