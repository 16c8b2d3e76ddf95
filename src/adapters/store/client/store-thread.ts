import type { Worker } from 'node:worker_threads';
import { errorMessage } from '../../../domain/error-text.ts';
import { dayNumber } from '../../../domain/time.ts';
import type { VariablePoint } from '../../../flows/store-ports.ts';
import { startThread } from '../../../runtime/start-thread.ts';
import type { Batch, FromThread, SeriesName, StoreFact, StoreThreadData, ToThread, WireRecord } from '../protocol.ts';
import { wireBytes } from './backlog.ts';

const FIRST_BACKOFF_MS = 100;
/** The longest wait before a store thread that died is started again. */
const MAX_BACKOFF_MS = 5_000;
/** The single binary first unpacks SQLite, perhaps to a slow disk. */
const MAX_LOAD_MS = 5_000;

export interface StoreWorkerEvents {
  message(message: FromThread): void;
  /** The thread is gone; a new one starts after `retryInMs`. */
  died(reason: string, retryInMs: number): void;
}

/**
 * The life of the store thread as seen from the main thread: started, restarted with back-off when it dies, and ended.
 */
export class StoreWorker {
  readonly #threadEntry: URL | string;
  readonly #threadData: () => StoreThreadData;
  readonly #events: StoreWorkerEvents;
  #worker: Worker | null = null;
  #backoffMs = FIRST_BACKOFF_MS;
  #restartTimer: NodeJS.Timeout | null = null;
  #ended = false;

  constructor(
    threadEntry: URL | string,
    threadData: () => StoreThreadData,
    events: StoreWorkerEvents,
    early?: EarlyThread,
  ) {
    this.#threadEntry = threadEntry;
    this.#threadData = threadData;
    this.#events = events;
    this.#use(early?.take() ?? startThread(threadEntry));
  }

  /** Sends to the thread; false while it is not running. */
  post(message: ToThread): boolean {
    if (this.#worker === null) return false;
    this.#worker.postMessage(message);
    return true;
  }

  /** The thread does its work: the next death counts as the first. */
  resetBackoff(): void {
    this.#backoffMs = FIRST_BACKOFF_MS;
  }

  /** Starts no more threads and ends the present one: by itself within `graceMs`, else by force. */
  async end(graceMs: number): Promise<void> {
    this.#ended = true;
    if (this.#restartTimer !== null) clearTimeout(this.#restartTimer);
    const worker = this.#worker;
    if (worker === null) return;
    await endThread(worker, graceMs);
  }

  #use(worker: Worker): void {
    this.#worker = worker;
    worker.postMessage({ kind: 'open', data: this.#threadData() } satisfies ToThread);
    let reason = '';
    worker.on('message', (message: FromThread) => this.#events.message(message));
    worker.on('error', (error: unknown) => {
      reason = errorMessage(error);
    });
    worker.on('exit', (code) => this.#exited(reason === '' ? `exit code ${code}` : reason));
  }

  #exited(reason: string): void {
    this.#worker = null;
    if (this.#ended) return;
    const retryInMs = this.#backoffMs;
    this.#backoffMs = Math.min(this.#backoffMs * 2, MAX_BACKOFF_MS);
    this.#restartTimer = setTimeout(() => this.#use(startThread(this.#threadEntry)), retryInMs);
    this.#events.died(reason, retryInMs);
  }
}

/** A store thread that was started before the configuration was known. */
export class EarlyThread {
  /** Null: the thread has died, or was given away. */
  #worker: Worker | null;
  readonly #onGone = () => {
    this.#worker = null;
  };

  /** The thread loads its scripts while the main thread reads the configuration. */
  constructor(threadEntry: URL | string) {
    this.#worker = startThread(threadEntry);
    // This thread must not keep the process alive as long as it is unused.
    this.#worker.unref();
    this.#worker.once('error', this.#onGone).once('exit', this.#onGone);
  }

  /** Gives the thread away, or null if it has died; the thread that is started in its place reports the reason. */
  take(): Worker | null {
    const worker = this.#worker;
    this.#worker = null;
    worker?.off('error', this.#onGone).off('exit', this.#onGone).ref();
    return worker;
  }

  /**
   * Ends a thread that was not taken, without opening a database. The thread first loads SQLite to the end: Node aborts
   * the process if a thread is ended by force while it loads a native addon.
   */
  async discard(): Promise<void> {
    this.#worker?.ref();
    if (this.#worker !== null) await endThread(this.#worker, MAX_LOAD_MS);
  }
}

/** Ends a thread: by itself within `graceMs`, else by force. */
async function endThread(worker: Worker, graceMs: number): Promise<void> {
  const exited = new Promise<void>((resolve) => worker.once('exit', () => resolve()));
  const timer = setTimeout(() => void worker.terminate(), graceMs);
  worker.postMessage({ kind: 'close' } satisfies ToThread);
  await exited;
  clearTimeout(timer);
}

/** Turns records into numbered batches that are cheap to copy to the store thread; numbers each series once a run. */
export class BatchEncoder {
  readonly #series: SeriesName[] = [];
  readonly #indexByMachine = new Map<string, Map<string, number>>();
  #number = 0;
  #dayText = '';
  #day = 0;

  /** All series numbered so far, for a restarted thread. */
  get series(): readonly SeriesName[] {
    return this.#series;
  }

  encode(entries: readonly { readonly records: Iterable<StoreFact> }[], wallMs: number): Batch {
    this.#number += 1;
    const seriesFrom = this.#series.length;
    const points: VariablePoint[] = [];
    const wireEntries = entries.map((entry) =>
      Array.from(entry.records, (record): WireRecord => {
        if (record.kind !== 'variables') return record;
        for (const point of record.points) points.push(point);
        return { kind: 'points', count: record.points.length, receipt: record.receipt };
      }),
    );
    const columns = this.#columns(points);
    const newSeries = this.#series.slice(seriesFrom);
    return { number: this.#number, at: wallMs, entries: wireEntries, points: { seriesFrom, newSeries, ...columns } };
  }

  #columns(points: readonly VariablePoint[]) {
    const series = new Uint32Array(points.length);
    const at = new Float64Array(points.length);
    const value = new Float64Array(points.length);
    const day = new Int32Array(points.length);
    points.forEach((point, index) => {
      series[index] = this.#seriesIndex(point.machineId, point.name);
      at[index] = Math.round(point.at);
      value[index] = point.value;
      day[index] = this.#shiftDay(point.shiftDate);
    });
    return { series, at, value, day };
  }

  #seriesIndex(machineId: string, name: string): number {
    let byName = this.#indexByMachine.get(machineId);
    if (byName === undefined) {
      byName = new Map();
      this.#indexByMachine.set(machineId, byName);
    }
    const known = byName.get(name);
    if (known !== undefined) return known;
    const index = this.#series.push([machineId, name]) - 1;
    byName.set(name, index);
    return index;
  }

  #shiftDay(shiftDate: string): number {
    if (shiftDate !== this.#dayText) {
      this.#day = dayNumber(shiftDate);
      this.#dayText = shiftDate;
    }
    return this.#day;
  }
}

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
  readonly #chunks: Iterator<ToThread, void>[] = [];
  #turn: NodeJS.Immediate | null = null;

  constructor(send: (message: ToThread) => void) {
    this.#send = send;
  }

  post(message: ToThread): void {
    if (this.#chunks.length === 0 && !holdsMany(message)) this.#send(message);
    else {
      this.#chunks.push(chunk(message));
      this.#sendNext();
    }
  }

  /** The thread is gone: messages that wait for it are forgotten. */
  clear(): void {
    this.#chunks.length = 0;
    if (this.#turn !== null) clearImmediate(this.#turn);
    this.#turn = null;
  }

  #sendNext(): void {
    this.#turn ??= setImmediate(() => {
      this.#turn = null;
      const next = this.#chunks[0]?.next();
      if (next === undefined) return;
      if (next.done === true) this.#chunks.shift();
      else this.#send(next.value);
      if (this.#chunks.length > 0) this.#sendNext();
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

function* chunk(message: ToThread): Generator<ToThread, void> {
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
export class Chunks {
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
