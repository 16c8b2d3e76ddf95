import { CodedError } from '../../../domain/error.ts';
import type { Log } from '../../../flows/ports.ts';
import type { StoreRecord } from '../../../flows/store-ports.ts';
import type { Batch, EntryRefusal, StoreFact } from '../protocol.ts';
import { Backlog, type Entry, recordBytes, type Settle } from './backlog.ts';
import { BatchEncoder } from './store-thread.ts';

/**
 * A record without a waiting caller may wait this long for others. A crash loses that tenth of a second, which the next
 * status restores (architecture.md, Threads; D-03).
 */
const GATHER_MS = 100;
/**
 * The number of batches under way at once. One in the commit and one behind it keep the disk busy; later records still
 * coalesce.
 */
const MAX_IN_FLIGHT_BATCHES = 3;
/** Copying a batch to the thread delays the event loop, so batches are small and go out one a turn. */
const MAX_BATCH_RECORDS = 1_000;
/** Records in one message to the store thread, unless the first alone is larger. */
const MAX_BATCH_BYTES = 512 * 1024;

export interface OutboxOptions {
  readonly maxPendingBytes: number;
  readonly monotonicMs: () => number;
  readonly wallMs: () => number;
  readonly log: Log;
  /** Sends to the store thread; records that are lost with it are sent again after `resend`. */
  readonly post: (batch: Batch) => void;
}

interface InFlight {
  readonly batch: Batch;
  readonly entries: readonly Entry[];
  readonly records: number;
  readonly bytes: number;
  readonly sentAt: number;
}

/** Gathers records into numbered batches, keeps each until the thread says that it is on disk, and sheds beyond a bound. */
export class Outbox {
  readonly encoder = new BatchEncoder();
  readonly #options: OutboxOptions;
  readonly #backlog: Backlog;
  readonly #inFlight: InFlight[] = [];
  readonly #idle: (() => void)[] = [];
  readonly #questions: { readonly behind: number; readonly put: () => void }[] = [];
  #connected = false;
  #turnScheduled = false;
  #gatherTimer: NodeJS.Timeout | null = null;
  #storedRecords = 0;

  constructor(options: OutboxOptions) {
    this.#options = options;
    this.#backlog = new Backlog(options.maxPendingBytes);
  }

  get pendingRecords(): number {
    return this.#inFlight.reduce((sum, batch) => sum + batch.records, this.#backlog.records);
  }
  get pendingBytes(): number {
    return this.#inFlightBytes() + this.#backlog.bytes;
  }
  get shedRecords(): number {
    return this.#backlog.shedRecords;
  }
  get storedRecords(): number {
    return this.#storedRecords;
  }
  /** The waiting time of the oldest record; 0 when none waits. */
  get oldestPendingMs(): number {
    const oldest = this.#inFlight[0]?.entries[0]?.queuedAt ?? this.#backlog.oldestQueuedAt;
    return oldest === null ? 0 : this.#options.monotonicMs() - oldest;
  }
  /** The age of the batch that the disk is writing; 0 without one. */
  get unansweredMs(): number {
    const first = this.#inFlight[0];
    return first === undefined || !this.#connected ? 0 : this.#options.monotonicMs() - first.sentAt;
  }

  add(records: readonly StoreRecord[]): void {
    if (records.length === 0) return;
    if (!this.#hasRoomFor(records)) {
      this.#backlog.countShed(records.length);
      return;
    }
    this.#backlog.add(records, this.#options.monotonicMs());
    this.#gatherTimer ??= setTimeout(() => {
      this.#gatherTimer = null;
      this.flush();
    }, GATHER_MS);
  }

  /** Queues a record that is never shed; `settle` is called at its commit, or at once if there is no room for it. */
  addAwaited(records: readonly StoreFact[], settle: Settle): void {
    if (!this.#hasRoomFor(records)) {
      settle.reject(new CodedError('store-unavailable', 'too many records wait for the disk: try again later'));
      return;
    }
    this.#backlog.addAwaited(records, this.#options.monotonicMs(), settle);
    this.#flushNextTurn();
  }

  /** Asks a question once all earlier records are under way. */
  afterSent(put: () => void): void {
    this.#questions.push({ behind: this.#backlog.seal(), put });
    this.flush();
    this.#putDueQuestions();
  }

  /** Asks every waiting question now, because the records that they wait for cannot be sent at present. */
  releaseQuestions(): void {
    for (const { put } of this.#questions.splice(0)) put();
  }

  #putDueQuestions(): void {
    const oldest = this.#backlog.oldestOrder;
    while (this.#questions[0] !== undefined && this.#questions[0].behind < oldest) this.#questions.shift()?.put();
  }

  /** Sends waiting records as far as the thread keeps up: one batch now, the next ones in the turns to come. */
  flush(): void {
    if (!this.#maySend()) return;
    const entries = this.#backlog.take(MAX_BATCH_RECORDS, MAX_BATCH_BYTES);
    const batch = this.encoder.encode(entries, this.#options.wallMs());
    const records = entries.reduce((sum, entry) => sum + entry.count, 0);
    const bytes = entries.reduce((sum, entry) => sum + entry.bytes, 0);
    this.#inFlight.push({ batch, entries, records, bytes, sentAt: this.#options.monotonicMs() });
    this.#options.post(batch);
    this.#putDueQuestions();
    if (this.#maySend()) this.#flushNextTurn();
  }

  #maySend(): boolean {
    return this.#connected && !this.#backlog.isEmpty && this.#inFlight.length < MAX_IN_FLIGHT_BATCHES;
  }

  #flushNextTurn(): void {
    if (this.#turnScheduled) return;
    this.#turnScheduled = true;
    setImmediate(() => {
      this.#turnScheduled = false;
      this.flush();
    });
  }

  /** All batches up to `number` are on disk, except the entries refused in the last of them. */
  applied(number: number, refusals: readonly EntryRefusal[]): void {
    while (this.#inFlight[0] !== undefined && this.#inFlight[0].batch.number <= number) {
      const done = this.#inFlight.shift();
      if (done !== undefined) this.#settle(done, done.batch.number === number ? refusals : []);
    }
    const overdue = this.#gatherTimer === null;
    if (this.#backlog.awaited || overdue || this.#questions.length > 0) this.flush();
    this.#putDueQuestions();
    if (this.pendingRecords === 0) for (const resolve of this.#idle.splice(0)) resolve();
  }

  /** A new thread is ready and has applied everything up to `appliedNumber`; the later batches are sent to it again. */
  resend(appliedNumber: number): void {
    // No new batch may go out in here: it would be taken for lost and sent twice.
    this.applied(appliedNumber, []);
    this.#connected = true;
    const sentAt = this.#options.monotonicMs();
    for (const [index, lost] of this.#inFlight.entries()) {
      this.#inFlight[index] = { ...lost, sentAt };
      this.#options.post(lost.batch);
    }
    this.flush();
  }

  /** The thread is gone: keep everything until `resend`. */
  disconnect(): void {
    this.#connected = false;
    this.releaseQuestions();
  }

  /** Resolves when nothing waits any more. */
  async settled(): Promise<void> {
    this.flush();
    if (this.pendingRecords > 0) await new Promise<void>((resolve) => this.#idle.push(resolve));
  }

  /** Gives up everything that still waits. */
  abandon(): void {
    if (this.#gatherTimer !== null) clearTimeout(this.#gatherTimer);
    this.#connected = false;
    const entries = this.#inFlight.splice(0).flatMap((batch) => batch.entries);
    while (!this.#backlog.isEmpty) entries.push(...this.#backlog.take(MAX_BATCH_RECORDS, MAX_BATCH_BYTES));
    const error = new CodedError('store-unavailable', 'the store was closed before the disk answered');
    for (const entry of entries) {
      if (entry.settle === null) this.#backlog.countShed(entry.count);
      else entry.settle.reject(error);
    }
    for (const resolve of this.#idle.splice(0)) resolve();
    this.releaseQuestions();
  }

  #hasRoomFor(records: readonly StoreFact[]): boolean {
    const bytes = records.reduce((sum, record) => sum + recordBytes(record), 0);
    return this.#backlog.makeRoom(bytes, this.#inFlightBytes());
  }

  #inFlightBytes(): number {
    return this.#inFlight.reduce((sum, batch) => sum + batch.bytes, 0);
  }

  #settle(done: InFlight, refusals: readonly EntryRefusal[]): void {
    const reasons = new Map(refusals.map(({ entry, reason }) => [entry, reason]));
    done.entries.forEach((entry, index) => {
      const reason = reasons.get(index);
      if (reason !== undefined) {
        this.#refuse(entry, reason);
        return;
      }
      this.#storedRecords += entry.count;
      entry.settle?.resolve();
    });
  }

  #refuse({ count, settle }: Entry, reason: string): void {
    this.#options.log.error({ reason, records: count }, 'records could not be stored');
    if (settle === null) this.#backlog.countShed(count);
    else settle.reject(new CodedError('internal', `cannot be stored: ${reason}`));
  }
}
