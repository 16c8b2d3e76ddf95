import type { SettleQueries } from '../../../../flows/forward/settle-ports.ts';
import type { Forwarding } from '../../protocol.ts';
import type { ClockEpochs } from '../clock-epochs.ts';
import { type Connection, transact } from '../database/connection.ts';
import { POINT_BYTES, type PointJournal } from '../variables/point-journal.ts';
import type { PointGroup, RecentPoints } from '../variables/recent-points.ts';
import { ExpiredFacts } from './expired-facts.ts';
import { FactReader } from './fact-reader.ts';
import { OutgoingBatches } from './outgoing-batches.ts';
import { DeadLetters } from './queue/dead-letters.ts';
import { MAX_LEVEL, type PointQueue, type PointsToThin } from './queue/point-queue.ts';
import type { QueueClass } from './queue/queue-classes.ts';
import { QueueHeads } from './queue/queue-heads.ts';
import { QueueListing } from './queue/queue-listing.ts';
import { QueueRows } from './queue/queue-rows.ts';
import { Totals } from './queue/queue-totals.ts';
import { RecordQueue } from './queue/record-queue.ts';
import { StatusQueues } from './queue/status-queues.ts';
import { WaitingPoints } from './queue/waiting-points.ts';
import { RecordJson } from './record-json.ts';
import { SendMemories } from './send-memories.ts';
import { SeriesNames } from './series-names.ts';
import { settling } from './settling.ts';
import { UpstreamNames } from './upstream-names.ts';

/** The parts of forwarding in the store thread: the queue, and the questions about it. */
export interface ForwardingParts {
  readonly queue: RecordQueue;
  readonly entityQueues: QueueHeads;
  readonly totals: Totals;
  readonly listing: QueueListing;
  readonly setAside: DeadLetters;
  readonly memories: SendMemories;
  readonly upstreamNames: UpstreamNames;
  readonly settling: SettleQueries;
  readonly points: WaitingPoints;
  readonly batches: OutgoingBatches;
  readonly thinning: Thinning;
  readonly statuses: StatusQueues;
  readonly expired: ExpiredFacts;
}

interface Surroundings {
  readonly epochs: ClockEpochs;
  readonly journal: PointJournal;
  readonly pointQueue: PointQueue;
  readonly recent: RecentPoints;
  /** Null if nothing is queued; rows of an earlier configuration stay and can be listed. */
  readonly settings: Forwarding | null;
}

export function openForwarding(connection: Connection, surroundings: Surroundings): ForwardingParts {
  const { epochs, journal, pointQueue, recent, settings } = surroundings;
  const rows = new QueueRows(connection);
  const totals = new Totals(connection, epochs);
  const setAside = new DeadLetters(connection, epochs);
  const upstreamNames = new UpstreamNames(connection, settings?.server ?? null);
  const memories = new SendMemories(connection, upstreamNames);
  const facts = new FactReader(connection);
  const records = new RecordJson(facts);
  const names = new SeriesNames(connection);
  const points = new WaitingPoints({ journal, queue: pointQueue, names, epochs });
  const statuses = new StatusQueues(connection, rows, epochs);
  const shared = { connection, rows, totals, journal, queue: pointQueue };
  const batches = new OutgoingBatches({
    ...shared,
    ...{ records, epochs, names, setAside, memories, statuses },
    gatewayId: settings?.gatewayId ?? null,
  });
  return {
    queue: new RecordQueue({
      connection,
      isOn: settings !== null,
      rows,
      setAside,
      memories,
      totals,
      points,
      batches,
      statuses,
    }),
    entityQueues: new QueueHeads(connection, statuses, epochs),
    totals,
    listing: new QueueListing(rows, epochs, records),
    setAside,
    memories,
    upstreamNames,
    settling: settling(upstreamNames),
    points,
    batches,
    statuses,
    expired: new ExpiredFacts(connection, { rows, facts, totals, epochs }),
    thinning: new Thinning({ ...shared, recent, maxBytes: settings?.maxBytes ?? null }),
  };
}

/** Thinning goes on down to this part of the budget, so that each pass makes room for a while. */
const THIN_TO_RATIO = 0.95;
const SLICE_MS = 4;
const ROWS_PER_THINNING = 100;
const CHECK_MS = 1_000;

/**
 * Classes that are dropped for lack of room once points are as thin as possible, least important first (UP-06). All
 * other classes stay. Two devices that send as one machine seem to boot and to change the part with each message, so
 * those statuses are dropped too, after all others.
 */
const THINNED_CLASSES = [
  'repeat',
  'change',
  'anomaly',
  'span',
  'catchUp',
  'partChange',
  'bootEnd',
] as const satisfies readonly QueueClass[];

interface Parts {
  readonly connection: Connection;
  readonly rows: QueueRows;
  readonly totals: Totals;
  readonly journal: PointJournal;
  readonly queue: PointQueue;
  readonly recent: RecentPoints;
  /** Null: nothing is forwarded, and queued rows stay. */
  readonly maxBytes: number | null;
}

/**
 * Keeps the queue within its budget, in slices of short transactions. Every second point of each series is dropped,
 * from the oldest row to the newest, then again, so that the whole outage stays visible, more and more coarsely. Points
 * of the last minutes, which are not packed yet, are on disk for the history; they count once they are packed.
 */
class Thinning {
  readonly #parts: Parts;
  /** For each level of thinning and series: whether the next point is kept. */
  readonly #keeps: Map<number, boolean>[] = [];
  #checkedAt = Number.NEGATIVE_INFINITY;
  #isBusy = false;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  get isBusy(): boolean {
    return this.#isBusy;
  }

  /** Continues thinning for one time slice if the queue is over its budget (checked once a second). */
  slice(): void {
    const { connection, maxBytes } = this.#parts;
    if (maxBytes === null) return;
    const now = performance.now();
    if (!this.#isBusy) {
      if (now - this.#checkedAt < CHECK_MS) return;
      this.#checkedAt = now;
      if (this.#bytes() <= maxBytes) return;
    }
    this.#isBusy = transact(connection, () => this.#thin(now + SLICE_MS, maxBytes * THIN_TO_RATIO));
  }

  /** Gives false if the queue is small enough, or as thin as possible. */
  #thin(until: number, toBytes: number): boolean {
    while (performance.now() < until) {
      if (this.#bytes() <= toBytes) return false;
      if (!this.#thinPoints() && !THINNED_CLASSES.some((name) => this.#thinRows(name))) return false;
    }
    return true;
  }

  #bytes(): number {
    return this.#parts.totals.bytes() - this.#parts.recent.count * POINT_BYTES;
  }

  #thinRows(name: QueueClass): boolean {
    const { rows, totals } = this.#parts;
    const count = rows.removeOldest(name, ROWS_PER_THINNING);
    totals.countThinned(name, count);
    return count > 0;
  }

  #thinPoints(): boolean {
    const { journal, queue } = this.#parts;
    for (let level = 0; level < MAX_LEVEL; level += 1) {
      const found = queue.oldestOf(level, journal.packedUpTo);
      if (found === null) continue;
      this.#halve(found);
      return true;
    }
    return false;
  }

  #halve({ row, level, points, held_before: before }: PointsToThin): void {
    const { journal, queue, totals } = this.#parts;
    const group = journal.find(row);
    const kept = group === null ? null : this.#everyOther(group, level, before);
    totals.countThinned('points', points - (kept?.at.length ?? 0));
    if (kept === null || kept.at.length === 0) {
      journal.release(row);
      return;
    }
    journal.replace(row, kept);
    queue.resize(row, level + 1, kept.at.length, POINT_BYTES);
  }

  #everyOther(group: PointGroup, level: number, before: number | null): PointGroup {
    const keeps = this.#keeps[level] ?? new Map<number, boolean>();
    this.#keeps[level] = keeps;
    const isKept = (_: number, index: number) => {
      if (before !== null && (group.day[index] ?? 0) >= before) return false;
      const series = group.series[index] ?? 0;
      const keep = keeps.get(series) ?? true;
      keeps.set(series, !keep);
      return keep;
    };
    const chosen = Uint32Array.from(group.at.keys()).filter(isKept);
    return {
      epoch: group.epoch,
      series: Uint32Array.from(chosen, (index) => group.series[index] ?? 0),
      at: Float64Array.from(chosen, (index) => group.at[index] ?? 0),
      value: Float64Array.from(chosen, (index) => group.value[index] ?? Number.NaN),
      day: Int32Array.from(chosen, (index) => group.day[index] ?? 0),
    };
  }
}
