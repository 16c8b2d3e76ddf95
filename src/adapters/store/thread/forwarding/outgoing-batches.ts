import { createHash, randomUUID } from 'node:crypto';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { SYNC_VERSION } from '../../../../domain/sync/batch.ts';
import type { OutgoingBatch } from '../../../../flows/forward/sync-ports.ts';
import type { ClockEpochs } from '../clock-epochs.ts';
import { type Connection, transact } from '../database/connection.ts';
import { insertInto } from '../database/insert-into.ts';
import { outgoingBatch, syncStream } from '../database/schema/forwarding.ts';
import type { PointJournal } from '../variables/point-journal.ts';
import { BatchPoints } from './batch-points.ts';
import { BatchRecords } from './batch-records.ts';
import type { DeadLetters } from './queue/dead-letters.ts';
import type { PointQueue } from './queue/point-queue.ts';
import type { QueueRows } from './queue/queue-rows.ts';
import type { Totals } from './queue/queue-totals.ts';
import type { StatusQueues } from './queue/status-queues.ts';
import type { RecordJson } from './record-json.ts';
import type { SendMemories } from './send-memories.ts';
import type { SeriesNames } from './series-names.ts';

/** A batch is gathered in slices of this length, so that commits go on in between. */
const SLICE_MS = 5;
const POINT_ROWS_PER_SLICE = 50;
/** The quickest level: batches are text that shrinks to a tenth anyway. */
const GZIP_LEVEL = 1;

interface Parts {
  readonly connection: Connection;
  readonly rows: QueueRows;
  readonly records: RecordJson;
  readonly epochs: ClockEpochs;
  readonly journal: PointJournal;
  readonly queue: PointQueue;
  readonly names: SeriesNames;
  readonly setAside: DeadLetters;
  readonly memories: SendMemories;
  readonly totals: Totals;
  readonly statuses: StatusQueues;
  /** Null: nothing is forwarded. */
  readonly gatewayId: string | null;
}

interface StoredBatch {
  readonly digest: string;
  readonly up_to_seq: number;
  readonly point_rows: string;
  readonly records: number;
  readonly body: Buffer;
}
type StreamRow = typeof syncStream.$inferSelect;
type Refusals = readonly { readonly seq: number; readonly reason: string }[];

const compress = promisify(gzip);

/**
 * Batches for a server with the batch extension (D-27): one at a time, on disk before it is given out, and given out
 * unchanged until it is acknowledged, or refused for its size. Its rows stay in the queue until it is acknowledged.
 */
export class OutgoingBatches {
  readonly #parts: Parts;
  readonly #bounds = new BatchBounds();
  readonly #open;
  readonly #insert;
  readonly #drop;
  readonly #stream;
  readonly #putStream;
  readonly #deleteUpTo;
  #next: Promise<OutgoingBatch | null> | null = null;

  constructor(parts: Parts) {
    const { connection, rows } = parts;
    this.#parts = parts;
    this.#open = connection.prepare<[], StoredBatch>('SELECT * FROM outgoing_batch WHERE id = 1');
    this.#insert = insertInto(connection, outgoingBatch);
    this.#drop = connection.prepare('DELETE FROM outgoing_batch WHERE id = 1');
    this.#stream = connection.prepare<[], StreamRow>(
      'SELECT id, stream, previous, gateway_id AS gatewayId, directory FROM sync_stream WHERE id = 1',
    );
    this.#putStream = insertInto(connection, syncStream, { or: 'REPLACE' });
    this.#deleteUpTo = connection.prepare<[number]>('DELETE FROM queue WHERE seq <= ?');
    rows.claim(this.#open.get()?.up_to_seq ?? 0);
    transact(connection, () => this.#followName());
  }

  /** Gives the open batch, or a new one of the waiting rows, or null if no row waits. Resolves when it is on disk. */
  next(): Promise<OutgoingBatch | null> {
    this.#next ??= this.#find().finally(() => {
      this.#next = null;
    });
    return this.#next;
  }

  /** The batch is on the central server's disk. To be called within a transaction, as `restart` is. */
  acknowledge(digest: string, refused: Refusals, at: number): void {
    const open = this.#open.get();
    const stream = this.#stream.get();
    if (open?.digest !== digest || stream === undefined) return;
    const { rows, journal, setAside, memories, totals } = this.#parts;
    for (const { seq, reason } of refused) {
      const row = seq <= open.up_to_seq ? rows.find(seq) : null;
      if (row !== null) totals.countThinned(row.class, setAside.add(row, reason, at));
    }
    this.#deleteUpTo.run(open.up_to_seq);
    memories.forgetUpTo(open.up_to_seq);
    // The list was written together with the batch.
    for (const row of JSON.parse(open.point_rows) as readonly number[]) journal.release(row);
    this.#drop.run();
    this.#putStream({ ...stream, previous: digest });
  }

  /**
   * The central server takes no batch of this size. The same records go in smaller batches. A record that is too large
   * even alone is set aside. To be called within a transaction.
   */
  refuseSize(digest: string, reason: string, at: number): void {
    const open = this.#open.get();
    if (open?.digest !== digest) return;
    const { rows, setAside, memories, totals } = this.#parts;
    const row = open.records === 1 ? rows.oldest() : null;
    if (row !== null && row.seq <= open.up_to_seq && row.bytes > SMALL_RECORD_BYTES) {
      totals.countThinned(row.class, setAside.add(row, reason, at));
      rows.remove(row.seq);
      memories.forget(row.seq);
      this.#bounds.restore();
      this.#drop.run();
    } else if (this.#bounds.shrink()) {
      this.#drop.run();
    }
  }

  /** The central server knows another past: unacknowledged records are sent again in a new stream. */
  restart(stream: string): void {
    const { gatewayId } = this.#parts;
    const present = this.#stream.get();
    if (gatewayId === null || present?.stream === stream) return;
    this.#putStream({ ...newStream(gatewayId), ...(present && { directory: present.directory }), stream });
    this.#drop.run();
  }

  /**
   * A data directory gets its name before it can be copied. Batches that were not acknowledged under the gateway's
   * former name go out under its present one.
   */
  #followName(): void {
    const { gatewayId } = this.#parts;
    const present = this.#stream.get();
    if (gatewayId === null || present?.gatewayId === gatewayId) return;
    if (present === undefined) this.#putStream(newStream(gatewayId));
    else this.restart(randomUUID());
  }

  async #find(): Promise<OutgoingBatch | null> {
    const { gatewayId } = this.#parts;
    if (gatewayId === null) return null;
    for (;;) {
      const open = this.#open.get();
      if (open !== undefined) return { ...open, body: new Uint8Array(open.body) };
      this.#parts.statuses.forget();
      const stream = this.#stream.get() ?? newStream(gatewayId);
      if (!(await this.#build(stream))) return null;
    }
  }

  /** Gives false if no row waits. A stream that was restarted meanwhile drops the built batch. */
  async #build(row: StreamRow): Promise<boolean> {
    const { connection, rows, totals, epochs } = this.#parts;
    const records = new BatchRecords({ rows, records: this.#parts.records, epochs, maxBytes: this.#bounds.bytes });
    while (records.gather(SLICE_MS)) await nextTurn();
    const points = new BatchPoints({ ...this.#parts, maxPoints: this.#bounds.points });
    await nextTurn();
    while (!records.isOversize && points.gather(POINT_ROWS_PER_SLICE)) await nextTurn();
    if (records.upToSeq === 0 && points.rows.length === 0) return false;

    const { stream, previous, gatewayId, directory } = row;
    const origin = { gatewayId, stream, directory, previous };
    const head = JSON.stringify({ version: SYNC_VERSION, ...origin }).slice(0, -1);
    const json = Buffer.from(`${head},"records":${records.json()},"points":${points.json()}}`);
    const digest = createHash('sha256').update(json).digest('hex');
    const body = await compress(json, { level: GZIP_LEVEL });
    transact(connection, () => {
      const present = this.#stream.get();
      if (present !== undefined && present.stream !== stream) return;
      if (present === undefined) this.#putStream(row);
      for (const gone of records.gone) {
        rows.remove(gone.seq);
        totals.countThinned(gone.class, 1);
      }
      const pointRows = JSON.stringify(points.rows);
      this.#insert({ id: 1, digest, upToSeq: records.upToSeq, pointRows, records: records.count + points.count, body });
    });
    return true;
  }
}

/** The first stream of a new data directory. */
function newStream(gatewayId: string): StreamRow {
  return { id: 1, stream: randomUUID(), previous: '', gatewayId, directory: randomUUID() };
}

/** Bytes of the JSON of the records in a batch. A batch has at least one record, of any size. */
const MAX_BYTES = 1_048_576;
/** Points in a batch. If it has points, it has at least one row of them, of any length. */
const MAX_POINTS = 50_000;
/** Batches shrink to this part of the bounds at least. They stay above the size at which a record is set aside. */
const SMALLEST_SHARE = 1 / 64;

/** A single record up to this size is never set aside for 413: then the server, or a proxy, takes no batch at all. */
export const SMALL_RECORD_BYTES = MAX_BYTES * SMALLEST_SHARE;

/** The bounds of a batch. They shrink when the server takes no larger batch, until the next start. */
export class BatchBounds {
  #share = 1;

  get bytes(): number {
    return MAX_BYTES * this.#share;
  }

  get points(): number {
    return MAX_POINTS * this.#share;
  }

  /** Halves the bounds; gives false at the minimum. */
  shrink(): boolean {
    if (this.#share <= SMALLEST_SHARE) return false;
    this.#share /= 2;
    return true;
  }

  /** A single record was too large, and the batches were not. */
  restore(): void {
    this.#share = 1;
  }
}
