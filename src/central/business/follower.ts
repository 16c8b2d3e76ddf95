import { CodedError } from '../../domain/error.ts';
import { errorMessage } from '../../domain/error-text.ts';
import type { Log } from '../../flows/ports.ts';
import type { Store, StoreRecord } from '../../flows/store-ports.ts';
import { Slice } from '../../runtime/slice.ts';
import type { Journal, JournalEntry } from './journal.ts';
import { RECORD_FORMAT, recordsIn } from './record-text.ts';

/** The place in the journal up to which this node's database is a copy of it. */
export interface CopiedUpTo {
  readonly history: string;
  readonly seq: number;
  readonly writeId: string;
}

export interface FollowerOptions {
  readonly journal: Journal;
  readonly own: Pick<Store, 'write'>;
  /** The run of this node. */
  readonly run: string;
  readonly position: CopiedUpTo;
  /** This node cannot go on with its copy: it has to be started again. */
  readonly onLost: (reason: string) => void;
  readonly log: Log;
}

type Listener = (records: readonly StoreRecord[]) => void;

/** A whole write of the journal. */
interface Write {
  readonly seq: number;
  readonly writeId: string;
  readonly run: string;
  readonly writtenAt: number;
  readonly records: readonly StoreRecord[];
}

const FOLLOW_EVERY_MS = 1_000;
/** Writes that are committed here together have at most this many records, or one write has more. */
const MAX_RECORDS_AT_ONCE = 500;

/** Copies the journal into this node's database, write by write, and tells what other nodes have written. */
export class JournalFollower {
  readonly #options: FollowerOptions;
  readonly #listeners: Listener[] = [];
  /** Writes of other nodes that came before anybody listened, while the node starts. */
  readonly #missed: (readonly StoreRecord[])[] = [];
  /** Writes of this node whose callers wait, and the reasons for which they cannot be stored. */
  readonly #refusals = new Map<string, CodedError | null>();
  #copied: CopiedUpTo;
  /** The last row that was read; it may belong to a write that is not whole yet. */
  #read: { readonly seq: number; readonly writeId: string };
  #begun: StoreRecord[] = [];
  #advancing: Promise<void> | null = null;
  #asking: Promise<void> | null = null;
  #askNext: Promise<void> | null = null;
  #isLost = false;
  #timer: NodeJS.Timeout | null = null;

  constructor(options: FollowerOptions) {
    this.#options = options;
    this.#copied = options.position;
    this.#read = options.position;
  }

  /** Everything up to here is in this node's database. */
  get position(): CopiedUpTo {
    return this.#copied;
  }

  /** Calls the listener with the records of each write of another node, once they are in this node's database. */
  onRecords(listener: Listener): void {
    this.#listeners.push(listener);
    for (const records of this.#missed.splice(0)) listener(records);
  }

  /** Follows on its own from now on. */
  start(): void {
    let isTold = false;
    const follow = () =>
      this.catchUp().then(
        () => {
          isTold = false;
        },
        (error: unknown) => {
          if (!isTold) this.#options.log.warn({ error: errorMessage(error) }, 'the journal cannot be followed');
          isTold = true;
        },
      );
    this.#timer = setInterval(() => void follow(), FOLLOW_EVERY_MS).unref();
  }

  stop(): void {
    clearInterval(this.#timer ?? undefined);
  }

  /** Resolves when everything that was in the journal at the call is in this node's database. */
  catchUp(): Promise<void> {
    if (this.#asking === null) {
      this.#asking = this.#toEnd().finally(() => {
        this.#asking = null;
      });
      return this.#asking;
    }
    // A question that is under way may have been answered before the caller's reason to ask.
    this.#askNext ??= this.#asking.then(ignored, ignored).then(() => {
      this.#askNext = null;
      return this.catchUp();
    });
    return this.#askNext;
  }

  /** Resolves when everything up to a place is in this node's database. Rejects if it cannot be written, or read. */
  async upTo(seq: number): Promise<void> {
    while (this.#copied.seq < seq) {
      this.#advancing ??= this.#advance().finally(() => {
        this.#advancing = null;
      });
      await this.#advancing;
    }
  }

  /** Runs work while this node's database stays at one place. */
  async whileStill<T>(work: (position: CopiedUpTo) => Promise<T>): Promise<T> {
    while (this.#advancing !== null) await this.#advancing.then(ignored, ignored);
    const done = work(this.#copied);
    this.#advancing = done.then(ignored, ignored).finally(() => {
      this.#advancing = null;
    });
    return done;
  }

  /** Appends a write of this node by `append`, and resolves when it is in this node's database as well. */
  async write(writeId: string, append: () => Promise<number>): Promise<void> {
    this.#refusals.set(writeId, null);
    try {
      await this.#copyOwn(await append());
      const refusal = this.#refusals.get(writeId) ?? null;
      if (refusal !== null) throw refusal;
    } finally {
      this.#refusals.delete(writeId);
    }
  }

  /** The write is done for all nodes, so a fault of this one's own database is no refusal. */
  async #copyOwn(seq: number): Promise<void> {
    try {
      await this.upTo(seq);
    } catch (error) {
      throw new CodedError('outcome-unknown', `it is done, but this node cannot show it: ${errorMessage(error)}`);
    }
  }

  async #toEnd(): Promise<void> {
    // More may be copied while the question is under way.
    const copied = this.#copied;
    const { history, seq, writeId } = await this.#options.journal.end();
    if (history !== copied.history) throw this.#lost('the database has another journal now');
    if (seq < copied.seq) throw this.#lost('the database was restored to an earlier time');
    const isSame = seq > copied.seq || writeId === copied.writeId;
    if (!isSame) throw this.#lost('the database was restored to an earlier time, and written since');
    await this.upTo(seq);
  }

  async #advance(): Promise<void> {
    const [known, ...rest] = await this.#options.journal.entriesFrom(this.#read.seq);
    const entries = this.#read.seq === 0 && known !== undefined ? [known, ...rest] : rest;
    const isSame = this.#read.seq === 0 ? (known?.seq ?? 1) === 1 : this.#isRead(known);
    if (!isSame) throw this.#lost('the journal is another one now, or its beginning was deleted');
    const tooNew = entries.find(({ format }) => format > RECORD_FORMAT);
    if (tooNew !== undefined) throw this.#lost('a newer program has written records that this one does not know');
    await this.#apply(await this.#wholeWrites(entries));
  }

  #isRead(entry: JournalEntry | undefined): boolean {
    return entry?.seq === this.#read.seq && entry.writeId === this.#read.writeId;
  }

  /** A hundred rows may have 25 MB. */
  async #wholeWrites(entries: readonly JournalEntry[]): Promise<readonly Write[]> {
    const slice = new Slice();
    const writes: Write[] = [];
    for (const { seq, writeId, isLast, run, writtenAt, records } of entries) {
      await slice.pause();
      this.#begun = this.#begun.concat(recordsIn(records));
      this.#read = { seq, writeId };
      if (!isLast) continue;
      writes.push({ seq, writeId, run, writtenAt, records: this.#begun });
      this.#begun = [];
    }
    return writes;
  }

  async #apply(writes: readonly Write[]): Promise<void> {
    try {
      for (const group of grouped(writes)) await this.#applyGroup(group);
    } catch (error) {
      // Writes that were read and not stored are read again.
      this.#read = this.#copied;
      this.#begun = [];
      throw error;
    }
  }

  async #applyGroup(group: readonly Write[]): Promise<void> {
    try {
      await this.#options.own.write(group.flatMap((write) => [this.#positionOf(write), ...write.records]));
    } catch (error) {
      if (!(error instanceof CodedError) || error.code !== 'internal') throw error;
      for (const write of group) await this.#applySingly(write);
    }
    for (const write of group) this.#noteApplied(write);
  }

  /** Every node refuses the same writes, because all apply the same ones in the same order. */
  async #applySingly(write: Write): Promise<void> {
    try {
      await this.#options.own.write([this.#positionOf(write), ...write.records]);
    } catch (error) {
      if (!(error instanceof CodedError) || error.code !== 'internal') throw error;
      if (this.#refusals.has(write.writeId)) this.#refusals.set(write.writeId, error);
      await this.#options.own.write([this.#positionOf(write)]);
    }
  }

  #positionOf({ seq, writeId, run, writtenAt: at }: Write): StoreRecord {
    return { kind: 'journalPosition', history: this.#copied.history, seq, writeId, run, at };
  }

  #noteApplied({ seq, writeId, run, records }: Write): void {
    this.#copied = { history: this.#copied.history, seq, writeId };
    if (run === this.#options.run) return;
    if (this.#listeners.length === 0) this.#missed.push(records);
    for (const listener of this.#listeners) listener(records);
  }

  #lost(reason: string): CodedError {
    if (!this.#isLost) this.#options.onLost(reason);
    this.#isLost = true;
    return new CodedError('store-unavailable', `this node has to be started again: ${reason}`);
  }
}

function ignored(): void {
  // The callers of that promise learn of its error.
}

/** Neighbours that are committed together. */
function grouped(writes: readonly Write[]): readonly (readonly Write[])[] {
  const groups: Write[][] = [];
  let records = Number.POSITIVE_INFINITY;
  for (const write of writes) {
    records += write.records.length;
    if (records > MAX_RECORDS_AT_ONCE) {
      groups.push([]);
      records = write.records.length;
    }
    groups.at(-1)?.push(write);
  }
  return groups;
}
