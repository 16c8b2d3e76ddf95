import { randomUUID } from 'node:crypto';
import { CodedError } from '../../domain/error.ts';
import { errorMessage } from '../../domain/error-text.ts';
import type { Log } from '../../flows/ports.ts';
import type { Store, StoreRecord } from '../../flows/store-ports.ts';
import type { JournalFollower } from './follower.ts';
import type { Journal } from './journal.ts';
import { recordTexts } from './record-text.ts';
import type { NodeTurns } from './turns.ts';

export interface SharedRecordsOptions {
  readonly own: Pick<Store, 'write' | 'record' | 'synced'>;
  readonly journal: Journal;
  readonly follower: JournalFollower;
  readonly turns: NodeTurns;
  readonly log: Log;
}

/** Records that nobody waits for are gathered for so long. */
const GATHER_MS = 20;
/** After a failure they are tried again after this time. */
const RETRY_MS = 1_000;
/** Records that wait for the database. Beyond it the oldest are given up, and counted. */
const MAX_WAITING = 50_000;
/** A stop waits for the database at most this long. */
const CLOSE_WITHIN_MS = 2_000;

/** Records of machines and clients that are connected to this node: they stay in its own database. */
const OF_NODE: ReadonlySet<StoreRecord['kind']> = new Set<StoreRecord['kind']>([
  'machineState',
  'part',
  'shift',
  'downtime',
  'downtimeRemoved',
  'span',
  'workSession',
  'override',
  'anomaly',
  'catchUp',
  'variables',
  'statusSample',
  'damaged',
  'brokerPut',
  'brokerDelete',
  'brokerDeletePrefix',
]);

/** Writes what people and programs do into the journal, and the rest into the node's own database. */
export class SharedRecords {
  readonly #options: SharedRecordsOptions;
  #waiting: StoreRecord[] = [];
  #timer: NodeJS.Timeout | null = null;
  #flushing: Promise<void> | null = null;
  #shed = 0;

  constructor(options: SharedRecordsOptions) {
    this.#options = options;
  }

  /** Records that were given up because the database was away for too long. */
  get shed(): number {
    return this.#shed;
  }

  /** Like the store's `write`; `outcome-unknown` if the database went away before it answered. */
  async write(records: readonly StoreRecord[]): Promise<void> {
    const ofNode = records.filter(({ kind }) => OF_NODE.has(kind));
    const shared = ofNode.length === 0 ? records : records.filter(({ kind }) => !OF_NODE.has(kind));
    if (ofNode.length > 0) await this.#options.own.write(ofNode);
    if (shared.length === 0) return;
    await this.flush();
    await this.#append(randomUUID(), shared, this.#options.turns.number);
  }

  /** Like the store's `record`. */
  record(records: readonly StoreRecord[]): void {
    const ofNode = records.filter(({ kind }) => OF_NODE.has(kind));
    if (ofNode.length > 0) this.#options.own.record(ofNode);
    if (ofNode.length === records.length) return;
    this.#waiting.push(...records.filter(({ kind }) => !OF_NODE.has(kind)));
    if (this.#waiting.length > MAX_WAITING) {
      this.#shed += this.#waiting.splice(0, this.#waiting.length - MAX_WAITING).length;
    }
    this.#flushAfter(GATHER_MS);
  }

  /** Resolves when all records so far are in the journal and in this node's database. */
  async synced(): Promise<void> {
    await this.flush();
    await this.#options.own.synced();
  }

  /** Resolves when all records so far that nobody waits for are in the journal. */
  async flush(): Promise<void> {
    while (this.#waiting.length > 0 || this.#flushing !== null) {
      this.#flushing ??= this.#flush().finally(() => {
        this.#flushing = null;
      });
      await this.#flushing;
    }
  }

  async close(): Promise<void> {
    clearTimeout(this.#timer ?? undefined);
    const { promise: timeout, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, CLOSE_WITHIN_MS);
    const flushed = this.flush().catch((error: unknown) =>
      this.#options.log.error({ records: this.#waiting.length, error: errorMessage(error) }, 'records are given up'),
    );
    await Promise.race([flushed, timeout]);
    clearTimeout(timer);
  }

  #flushAfter(afterMs: number): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = null;
      this.flush().catch(() => this.#flushAfter(RETRY_MS));
    }, afterMs).unref();
  }

  async #flush(): Promise<void> {
    const records = this.#waiting;
    this.#waiting = [];
    try {
      await this.#append(randomUUID(), records, null);
    } catch (error) {
      // A record that cannot be stored was logged by the store; the others of the same write went with it.
      if (error instanceof CodedError && error.code === 'internal') this.#shed += records.length;
      else this.#waiting = [...records, ...this.#waiting];
      throw error;
    }
  }

  async #append(writeId: string, records: readonly StoreRecord[], turn: number | null): Promise<void> {
    const { journal, follower } = this.#options;
    const texts = await recordTexts(records);
    const after = follower.position.seq;
    await follower.write(writeId, () => journal.append({ writeId, texts, turn }, after));
  }
}
