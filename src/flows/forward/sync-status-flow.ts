import { CodedError, noSuch } from '../../domain/error.ts';
import { isoTime, isoTimeOrNull } from '../../domain/time.ts';
import type { MirrorAge } from '../mirror/mirror-ports.ts';
import type { Clock } from '../ports.ts';
import type { JsonText } from '../warehouse/warehouse-ports.ts';
import type { ConnectionView } from './connection-flow.ts';
import type { QueueForwarder } from './queue-forwarder.ts';
import type { DeadLetter, ForwardRecord, SyncQueries } from './sync-ports.ts';
import type { SetAsideView, SyncNumbers, SyncStatus } from './sync-status-ports.ts';

export interface SyncStatusOptions {
  readonly store: Pick<SyncQueries, 'queueTotals' | 'setAsideRows' | 'queueRows'> & {
    write(records: readonly ForwardRecord[]): Promise<void>;
  };
  readonly clock: Clock;
  /** Null without a central server. The queue of an earlier configuration is still shown. */
  readonly forwarder: Pick<QueueForwarder, 'connection' | 'server' | 'sentRecords' | 'differences' | 'retry'> | null;
  readonly mirrorAges: () => readonly MirrorAge[];
}

/** The number of set-aside records that are shown; there are seldom more than a few. */
const SHOWN_SET_ASIDE = 1_000;

const SET_ASIDE_ID = /^[1-9]\d{0,14}$/;

const NO_CONNECTION: ConnectionView = {
  status: 'disabled',
  state: 'disabled',
  detail: null,
  server: null,
  since: null,
  lastContactAt: null,
  lastAcknowledgedAt: null,
  nextTryAt: null,
};

/** The state of forwarding for people, and their operations on it (contract.md, `/sync`; UP-05, UP-06). */
export class SyncStatusFlow {
  readonly #options: SyncStatusOptions;

  constructor(options: SyncStatusOptions) {
    this.#options = options;
  }

  async status(): Promise<SyncStatus> {
    const { store, clock, forwarder, mirrorAges } = this.#options;
    const [totals, setAside] = await Promise.all([this.#totals(), store.setAsideRows(SHOWN_SET_ASIDE)]);
    const { thinned, held } = totals;
    return {
      upstream: upstreamView(forwarder?.connection() ?? NO_CONNECTION, clock.now().wallMs),
      queue: {
        depth: totals.depth,
        oldestAt: isoTimeOrNull(totals.oldestAt),
        bytes: totals.bytes,
        thinned: thinned.points + thinned.statuses + thinned.facts,
        thinnedOf: thinned,
        held,
      },
      setAside: setAside.map(setAsideView),
      setAsideCount: totals.setAside,
      commandDifferences: forwarder?.differences() ?? [],
      mirror: mirrorAges().map(({ kind, lastMirroredAt }) => ({ kind, lastMirroredAt: isoTimeOrNull(lastMirroredAt) })),
    };
  }

  async numbers(): Promise<SyncNumbers> {
    const { clock, forwarder } = this.#options;
    const { depth, bytes, oldestAt, held, thinned, setAside } = await this.#totals();
    const oldestAgeSeconds = oldestAt === null ? 0 : Math.max(0, (clock.now().wallMs - oldestAt) / 1_000);
    const connection = forwarder?.connection().state ?? 'disabled';
    const sentRecords = forwarder?.sentRecords ?? 0;
    return { connection, depth, bytes, oldestAgeSeconds, heldDepth: held.depth, thinned, setAside, sentRecords };
  }

  /** Dead letters in the order in which they were set aside, after the id `after`. */
  async setAsideFrom(after: number, limit: number): Promise<readonly SetAsideView[]> {
    const rows = await this.#options.store.setAsideRows(limit, after);
    return rows.map(setAsideView);
  }

  /** Puts it back into the queue. Rejects with `not-found`, and with `conflict` without a central server. */
  async retry(id: string): Promise<void> {
    const { store, forwarder } = this.#options;
    await this.#requireSetAside(id);
    if (forwarder === null) {
      const message =
        'upstream: no central server is configured, so nothing can be sent; the rows that were set aside stay';
      throw new CodedError('conflict', message);
    }
    await store.write([{ kind: 'setAsideRetried', id }]);
    forwarder.retry();
  }

  /** Gives it up for good. Rejects with `not-found`. */
  async discard(id: string): Promise<void> {
    await this.#requireSetAside(id);
    await this.#options.store.write([{ kind: 'setAsideDiscarded', id }]);
  }

  /** Waiting records by number, after `after`. */
  queueRows(after: number, limit: number): Promise<JsonText> {
    return this.#options.store.queueRows(after, limit);
  }

  #totals() {
    const { store, forwarder } = this.#options;
    return store.queueTotals(forwarder?.server ?? 'batch');
  }

  async #requireSetAside(id: string): Promise<void> {
    const [row] = SET_ASIDE_ID.test(id) ? await this.#options.store.setAsideRows(1, Number(id) - 1) : [];
    if (row?.id !== id) throw noSuch('set-aside record', id);
  }
}

function upstreamView(view: ConnectionView, wallMs: number): SyncStatus['upstream'] {
  const { lastAcknowledgedAt } = view;
  return {
    state: view.status,
    lastContactAt: isoTimeOrNull(view.lastContactAt),
    connection: view.state,
    detail: view.detail,
    since: isoTimeOrNull(view.since),
    server: view.server,
    lastAcknowledgedAt: isoTimeOrNull(lastAcknowledgedAt),
    nextTryAt: isoTimeOrNull(view.nextTryAt),
    acknowledgedSecondsAgo:
      lastAcknowledgedAt === null ? null : Math.max(0, Math.round((wallMs - lastAcknowledgedAt) / 1_000)),
  };
}

function setAsideView({ id, entity, reason, at, doneAt, operation }: DeadLetter): SetAsideView {
  return {
    id,
    what: operation?.what ?? `a record of ${entity}`,
    reason,
    at: isoTime(at),
    doneAt: isoTime(doneAt),
    entity,
    userName: operation?.operator ?? null,
  };
}
