import type { Batch, ToThread, WireRecord } from '../protocol.ts';
import { wireBytes } from '../record-traits.ts';

/** Copying this number of records to the thread takes a millisecond or two. */
const PART_RECORDS = 500;
const PART_BYTES = 256 * 1024;

/**
 * Messages to the store thread, in their order. Tens of thousands of records may belong together, for example those of
 * a plant file. They go in parts ahead of their batch, one part in each turn of the event loop, and later messages
 * wait.
 */
export class ThreadChannel {
  readonly #send: (message: ToThread) => void;
  readonly #parcels: Iterator<ToThread, void>[] = [];
  #turn: NodeJS.Immediate | null = null;

  constructor(send: (message: ToThread) => void) {
    this.#send = send;
  }

  post(message: ToThread): void {
    if (this.#parcels.length === 0 && !holdsMany(message)) this.#send(message);
    else {
      this.#parcels.push(parcel(message));
      this.#sendNext();
    }
  }

  /** The thread is gone: messages that wait for it are forgotten. */
  clear(): void {
    this.#parcels.length = 0;
    if (this.#turn !== null) clearImmediate(this.#turn);
    this.#turn = null;
  }

  #sendNext(): void {
    this.#turn ??= setImmediate(() => {
      this.#turn = null;
      const next = this.#parcels[0]?.next();
      if (next === undefined) return;
      if (next.done === true) this.#parcels.shift();
      else this.#send(next.value);
      if (this.#parcels.length > 0) this.#sendNext();
    });
  }
}

function holdsMany(message: ToThread): boolean {
  return message.kind === 'batch' && message.batch.entries.some(areMany);
}

function areMany(records: readonly WireRecord[]): boolean {
  return (
    records.length > PART_RECORDS || records.reduce((bytes, record) => bytes + wireBytes(record), 0) > 2 * PART_BYTES
  );
}

function* parcel(message: ToThread): Generator<ToThread, void> {
  if (message.kind !== 'batch') {
    yield message;
    return;
  }
  const { batch } = message;
  for (const [entry, records] of batch.entries.entries()) {
    if (!areMany(records)) continue;
    for (const part of partsOf(records)) yield { kind: 'part', entry, records: part };
  }
  const entries = batch.entries.map((records) => (areMany(records) ? [] : records));
  yield { kind: 'batch', batch: { ...batch, entries } };
}

function* partsOf(records: readonly WireRecord[]): Generator<readonly WireRecord[]> {
  let from = 0;
  let bytes = 0;
  for (const [place, record] of records.entries()) {
    bytes += wireBytes(record);
    if (place + 1 - from < PART_RECORDS && bytes < PART_BYTES) continue;
    yield records.slice(from, place + 1);
    from = place + 1;
    bytes = 0;
  }
  if (from < records.length) yield records.slice(from);
}

/** The other end: puts the parts of a batch together again. */
export class Parcels {
  #parts = new Map<number, WireRecord[]>();

  take({ entry, records }: Extract<ToThread, { kind: 'part' }>): void {
    const taken = this.#parts.get(entry) ?? [];
    for (const record of records) taken.push(record);
    this.#parts.set(entry, taken);
  }

  /** Joins the batch with the parts that came ahead of it. */
  whole(batch: Batch): Batch {
    if (this.#parts.size === 0) return batch;
    const parts = this.#parts;
    this.#parts = new Map();
    return { ...batch, entries: batch.entries.map((records, entry) => parts.get(entry) ?? records) };
  }
}
