import type { ClockEpochs } from '../clock-epochs.ts';
import type { QueueClass } from './queue/queue-classes.ts';
import type { QueueRows } from './queue/queue-rows.ts';
import type { RecordJson } from './record-json.ts';

/** Rows that leave the queue in one transaction when the batch is acknowledged: commits wait for it. */
const MAX_RECORDS = 1_000;
const ROWS_BETWEEN_LOOKS = 32;

/** A row whose fact is no longer in the history. */
export interface GoneRow {
  readonly seq: number;
  readonly class: QueueClass;
}

interface Parts {
  readonly rows: QueueRows;
  readonly records: RecordJson;
  readonly epochs: ClockEpochs;
  /** Bytes of the records' JSON; at least one record goes, at any size. */
  readonly maxBytes: number;
}

/**
 * Records for one batch, gathered from the oldest row of the queue on. Gathered rows are claimed: they do not change
 * any more.
 */
export class BatchRecords {
  readonly gone: GoneRow[] = [];
  readonly #rows: QueueRows;
  readonly #records: RecordJson;
  readonly #epochs: ClockEpochs;
  readonly #maxBytes: number;
  readonly #json: string[] = [];
  #bytes = 0;
  #upToSeq = 0;

  constructor({ rows, records, epochs, maxBytes }: Parts) {
    this.#rows = rows;
    this.#records = records;
    this.#epochs = epochs;
    this.#maxBytes = maxBytes;
  }

  get count(): number {
    return this.#json.length;
  }

  get upToSeq(): number {
    return this.#upToSeq;
  }

  /** A single record that is larger than a batch: nothing goes with it. */
  get isOversize(): boolean {
    return this.#bytes > this.#maxBytes;
  }

  /** Gathers for this time; false if no row is left, or no room. */
  gather(forMs: number): boolean {
    const until = performance.now() + forMs;
    const corrections = this.#epochs.corrections();
    let looks = 0;
    for (const row of this.#rows.from(this.#upToSeq)) {
      if (this.#isFull(row.bytes)) return false;
      const json = this.#records.of(row, corrections);
      if (json === null) this.gone.push({ seq: row.seq, class: row.class });
      else this.#json.push(json);
      this.#bytes += json?.length ?? 0;
      this.#upToSeq = row.seq;
      this.#rows.claim(row.seq);
      looks += 1;
      if (looks % ROWS_BETWEEN_LOOKS === 0 && performance.now() >= until) return true;
    }
    return false;
  }

  /** An array of BatchRecord (domain/sync/batch.ts). */
  json(): string {
    return `[${this.#json.join(',')}]`;
  }

  #isFull(nextBytes: number): boolean {
    const isBegun = this.#json.length + this.gone.length > 0;
    return isBegun && (this.#json.length + this.gone.length >= MAX_RECORDS || this.#bytes + nextBytes > this.#maxBytes);
  }
}
