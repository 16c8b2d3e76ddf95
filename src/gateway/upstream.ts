import { NO_OPERATIONS, type OperationQueue, OperationQueueFlow } from '../flows/forward/operation-queue-flow.ts';
import { QueueForwarder, type QueueForwarderOptions } from '../flows/forward/queue-forwarder.ts';
import { StatusSampler } from '../flows/forward/status-sampler.ts';
import { SyncStatusFlow } from '../flows/forward/sync-status-flow.ts';
import type { LiveChange } from '../flows/local-api/local-api-ports.ts';
import type { MirrorAges } from '../flows/mirror/mirror-ages.ts';
import type { MirrorAge } from '../flows/mirror/mirror-ports.ts';
import type { StaleEntities } from '../flows/mirror/stale-entities.ts';
import { after } from '../runtime/after.ts';
import type { Base } from './gateway-parts.ts';
import type { Floor } from './machines.ts';

export interface Upstream {
  readonly operations: OperationQueue;
  readonly sync: SyncStatusFlow;
  /** Null without a central server. */
  readonly forwarder: QueueForwarder | null;
  /** Null without one. */
  readonly server: QueueForwarderOptions['server'] | null;
  /** Resolves with true once no record of an entity waits for the central server (D-17). */
  readonly drained: (entity: string) => Promise<boolean>;
  onChange(listener: (change: LiveChange) => void): void;
  start(): void;
  close(): Promise<void>;
}

/** Puts together the forwarding to the central server; without one, the queue of an earlier configuration is shown. */
export async function openUpstream(
  { config, store, clock, newId, incidents, log }: Base,
  { registry, calendar }: Pick<Floor, 'registry' | 'calendar'>,
  { ages, stale }: { readonly ages: MirrorAges; readonly stale: StaleEntities },
): Promise<Upstream> {
  const { upstream, gatewayId } = config;
  if (upstream === undefined) {
    const sync = new SyncStatusFlow({ store, clock, forwarder: null, mirrorAges: () => [] });
    const drained = () => Promise.resolve(true);
    const nothing = () => undefined;
    return {
      operations: NO_OPERATIONS,
      sync,
      forwarder: null,
      server: null,
      drained,
      onChange: nothing,
      start: nothing,
      close: async () => undefined,
    };
  }
  const { url, apiKey, timeoutSeconds } = upstream;
  // Without a central server its client is not loaded.
  const { HttpCentralServer } = await import('../adapters/central/http-central-server.ts');
  const server = new HttpCentralServer({ url, apiKey, timeoutMs: timeoutSeconds * 1_000 });
  const forwarder = new QueueForwarder({
    store,
    settling: store,
    gatewayId,
    clock,
    newId,
    incidents,
    log,
    server,
    random: Math.random,
    after,
    shiftDateAt: (wallMs) => calendar.shiftAt(wallMs).shiftDate,
    decisionOf: (machineId) => registry.get(machineId)?.state.decision ?? null,
    refresh: (entity) => stale.note(entity),
  });
  const onQueued = () => forwarder.wake();
  const isServerThere = () => forwarder.isForwarding;
  const sampler = new StatusSampler({ store, clock, after, isServerThere, onSampled: onQueued });
  sampler.follow(registry);
  return {
    operations: new OperationQueueFlow({ clock, newId, onQueued }),
    sync: new SyncStatusFlow({ store, clock, forwarder, mirrorAges: () => ages.list() }),
    forwarder,
    server,
    drained: (entity) => forwarder.drained(entity),
    onChange: (listener) => forwarder.onChange(listener),
    start: () => forwarder.start(newestOf(ages.list())),
    close: () => {
      sampler.stop();
      return forwarder.close();
    },
  };
}

/** The last time at which anything was mirrored: a contact with the central server. Null if never. */
function newestOf(ages: readonly MirrorAge[]): number | null {
  const times = ages.flatMap(({ lastMirroredAt }) => lastMirroredAt ?? []);
  return times.length === 0 ? null : Math.max(...times);
}
