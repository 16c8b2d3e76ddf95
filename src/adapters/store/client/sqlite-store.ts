import { randomUUID } from 'node:crypto';
import { CodedError } from '../../../domain/error.ts';
import type { MachineId } from '../../../domain/machine/machine-names.ts';
import type { Log } from '../../../flows/ports.ts';
import type { SetAsideDatabase, StoreCounters, StoreHealth } from '../../../flows/store-health-ports.ts';
import type {
  ClockChange,
  DamagedRecord,
  Store,
  StoredState,
  StoreRecord,
  TimeRange,
  VariablePoints,
} from '../../../flows/store-ports.ts';
import type {
  Forwarding,
  FromThread,
  QuestionName,
  Retention,
  StoreFact,
  StoreStatistics,
  StoreThreadData,
  ToThread,
} from '../protocol.ts';
import { isAskedAfterRecords } from '../questions.ts';
import { StoreOpenError } from '../store-open-error.ts';
import { DamageNotes, HealthBoard } from './health-board.ts';
import { Outbox } from './outbox.ts';
import { type Ask, AskingStore, OpenQuestions } from './questions.ts';
import { type EarlyThread, StoreWorker, ThreadChannel } from './store-thread.ts';

/** The amount that may wait for the disk before records are shed and writes refused. */
const MAX_PENDING_BYTES = 64 * 1024 * 1024;
/** A batch that the disk has not answered for so long is reported. */
const STUCK_AFTER_MS = 5_000;
const STUCK_CHECK_MS = 1_000;
/** The time that closing waits for the disk, and for the end of the thread: together within the 5 s of a stop (contract.md). */
const CLOSE_SETTLE_MS = 3_000;
const CLOSE_THREAD_MS = 1_000;

export interface StoreOptions {
  readonly dataDir: string;
  /** The file (src/threads.ts) that a store thread starts from. */
  readonly threadEntry: URL | string;
  /** The first thread, if it was started before. */
  readonly earlyThread?: EarlyThread;
  /** The thread shows here that it is alive: its beat, then its thread id. */
  readonly pulse?: Int32Array<SharedArrayBuffer>;
  readonly retention: Retention;
  /** Null: there is no central server, nothing is queued. */
  readonly forwarding: Forwarding | null;
  readonly maxPendingBytes?: number;
  readonly monotonicMs: () => number;
  readonly wallMs: () => number;
  readonly log: Log;
}

/** Faults to be caused on purpose, for tests and the benchmark. */
export interface StoreTesting {
  /** Holds the store thread up, as a stuck disk would. */
  stall(forMs: number): void;
  /** Ends the store thread by an uncaught error. */
  crash(): void;
  /** Limits the database to this number of pages, as a full disk would. */
  limitPages(pages: number): void;
}

export interface OpenedStore {
  readonly store: Store;
  readonly restored: StoredState;
  readonly testing: StoreTesting;
}

/** The store on the main thread: hands records over, asks questions, keeps records that are not on disk yet. */
export class SqliteStore extends AskingStore implements Store {
  /** Resolves when the thread stands ready for the first time; rejects with StoreOpenError. */
  readonly opened: Promise<StoredState>;
  readonly #options: StoreOptions;
  /** The run of the gateway, which a restarted thread continues. */
  readonly #runId = randomUUID();
  readonly #worker: StoreWorker;
  readonly #channel: ThreadChannel;
  readonly #outbox: Outbox;
  readonly #questions: OpenQuestions;
  readonly #openedAt: number;
  readonly #health: HealthBoard;
  readonly #damage: DamageNotes;
  readonly #stuckTimer: NodeJS.Timeout;
  readonly #settleOpened = Promise.withResolvers<StoredState>();
  readonly #orderListeners: (() => void)[] = [];
  #isOpen = false;
  #isClosing = false;
  #suspect = false;
  #threadRestarts = 0;
  #setAside: SetAsideDatabase | null = null;
  #statistics: StoreStatistics = { commits: 0, databaseBytes: 0, walBytes: 0, commitMs: null };

  constructor(options: StoreOptions) {
    super();
    this.#options = options;
    this.#openedAt = options.monotonicMs();
    this.#health = new HealthBoard(options);
    this.#damage = new DamageNotes(options.log);
    this.opened = this.#settleOpened.promise;
    this.#channel = new ThreadChannel((message) => this.#send(message));
    this.#outbox = new Outbox({
      maxPendingBytes: MAX_PENDING_BYTES,
      ...options,
      post: (batch) => this.#channel.post({ kind: 'batch', batch }),
    });
    this.#questions = new OpenQuestions((message) => this.#putQuestion(message));
    const events = {
      message: (message: FromThread) => this.#onMessage(message),
      died: (reason: string, retryInMs: number) => this.#onDeath(reason, retryInMs),
    };
    this.#worker = new StoreWorker(options.threadEntry, () => this.#threadData(), events, options.earlyThread);
    this.#stuckTimer = setInterval(() => this.#checkStuck(), STUCK_CHECK_MS);
    this.#stuckTimer.unref();
  }

  record(records: readonly StoreRecord[]): void {
    if (this.#isClosing) return;
    for (const record of records) if (record.kind === 'damaged') this.#damage.found(record.record);
    this.#outbox.add(records);
  }

  write(records: readonly StoreRecord[]): Promise<void> {
    if (this.#isClosing) return Promise.reject(new CodedError('store-unavailable', 'the store is closed'));
    if (records.length === 0) return Promise.resolve();
    if (this.#health.isWithoutDisk && records.some(isAskedOnce)) {
      this.#health.noteRefusedWrite();
      return Promise.reject(
        new CodedError('store-unavailable', 'the disk cannot be written at the moment: see /readyz'),
      );
    }
    return new Promise<void>((resolve, reject) => {
      const stored = () => {
        this.#damage.written(records);
        if (records.some(isOfOrder)) for (const listener of this.#orderListeners) listener();
        resolve();
      };
      this.#outbox.addAwaited(records, { resolve: stored, reject });
    });
  }

  synced(): Promise<void> {
    if (this.#isClosing) return Promise.reject(new CodedError('store-unavailable', 'the store is closed'));
    if (this.#outbox.pendingRecords === 0) return Promise.resolve();
    // An entry without records is committed behind all earlier entries, so its commit shows that these are on disk.
    return new Promise((resolve, reject) => this.#outbox.addAwaited([], { resolve, reject }));
  }

  clockCorrected(correction: ClockChange, states: readonly StoreRecord[] = []): void {
    const { log } = this.#options;
    const { deltaMs } = correction;
    this.#outbox.addAwaited([{ kind: 'clockCorrected', ...correction }, ...states], {
      resolve: () => log.info({ deltaMs }, 'stored times were corrected with the clock'),
      reject: (error) => log.error({ deltaMs, err: error }, 'stored times were not corrected with the clock'),
    });
  }

  counters(): StoreCounters {
    return {
      pendingRecords: this.#outbox.pendingRecords,
      pendingBytes: this.#outbox.pendingBytes,
      oldestPendingMs: this.#outbox.oldestPendingMs,
      records: this.#outbox.storedRecords,
      shedRecords: this.#outbox.shedRecords,
      threadRestarts: this.#threadRestarts,
      health: this.#health.present,
      refusedWrites: this.#health.refusedWrites,
      damagedRecords: this.#damage.list(),
      risks: [],
      setAside: this.#setAside,
      ...this.#statistics,
    };
  }

  onHealth(listener: (health: StoreHealth) => void): void {
    this.#health.onChange(listener);
  }

  onOrders(listener: () => void): void {
    this.#orderListeners.push(listener);
  }

  onDamage(listener: (record: DamagedRecord) => void): void {
    this.#damage.onDamage(listener);
  }

  ask(question: QuestionName, args: readonly unknown[]): Promise<unknown> {
    return this.#questions.ask(question, args);
  }

  async variablePoints(...args: Parameters<Store['variablePoints']>): VariablePoints {
    const { at, value, truncated } = await this.variableColumns(...args);
    return { points: Array.from(at, (time, index) => ({ at: time, value: value[index] ?? Number.NaN })), truncated };
  }

  /** A span that lasts counts up to now. */
  activityTotals(machineId: MachineId, { from, to }: TimeRange) {
    return this.activityMs(machineId, { from, to: Math.min(to, this.#options.wallMs()) });
  }

  retain() {
    return this.deleteOld(this.#options.wallMs(), this.#options.monotonicMs() - this.#openedAt);
  }

  backUp(file: string): Promise<void> {
    return this.copyInto(file);
  }

  async close(): Promise<void> {
    if (this.#isClosing) return;
    this.#isClosing = true;
    clearInterval(this.#stuckTimer);
    const { promise: timeout, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, CLOSE_SETTLE_MS);
    await Promise.race([this.#outbox.settled(), timeout]);
    clearTimeout(timer);
    this.#outbox.abandon();
    this.#channel.clear();
    await this.#worker.end(CLOSE_THREAD_MS);
    this.#questions.abandon();
  }

  /** Causes a fault in the store thread, for tests and the benchmark. */
  provoke(fault: ToThread): void {
    this.#worker.post(fault);
  }

  /**
   * Sends records first if the answer must contain them. While the disk cannot be written, no question waits for it.
   */
  #putQuestion(message: Ask): void {
    if (this.#health.isWithoutDisk || !isAskedAfterRecords(message.question)) this.#send(message);
    else this.#outbox.afterSent(() => this.#channel.post(message));
  }

  #send(message: ToThread): void {
    if (!this.#worker.post(message) && message.kind === 'ask') this.#questions.unsent(message.id);
  }

  #threadData(): StoreThreadData {
    const { dataDir, retention, forwarding, pulse } = this.#options;
    const { series } = this.#outbox.encoder;
    return {
      ...{ dataDir, runId: this.#runId, retention, forwarding, series, suspect: this.#suspect },
      ...(pulse && { pulse }),
    };
  }

  #onMessage(message: FromThread): void {
    switch (message.kind) {
      case 'applied':
        this.#worker.resetBackoff();
        this.#setHealth({ state: 'ok' });
        this.#outbox.applied(message.number, message.refusals);
        return;
      case 'answer':
        this.#questions.answered(message.id, message.value);
        return;
      case 'unanswered':
        this.#questions.refused(message);
        return;
      case 'statistics':
        this.#statistics = message.statistics;
        return;
      case 'fault':
        this.#suspect ||= message.corrupt;
        this.#setHealth({ state: message.state, since: this.#options.wallMs(), detail: message.detail });
        return;
      case 'recovered':
        this.#setHealth({ state: 'ok' });
        return;
      case 'opened':
        this.#onOpened(message);
        return;
      case 'notOpened':
        if (!this.#isOpen) this.#failOpening(new StoreOpenError(message.refusal, message.message));
    }
  }

  #onOpened({ appliedNumber, restored }: Extract<FromThread, { kind: 'opened' }>): void {
    this.#setAside = restored.setAside;
    if (restored.setAside !== null) {
      this.#options.log.error(
        { setAside: restored.setAside },
        'the database was damaged; it was set aside and a new one begun',
      );
    }
    this.#isOpen = true;
    this.#suspect = false;
    this.#setHealth({ state: 'ok' });
    if (restored.damaged.length > 0) this.record(restored.damaged.map((record) => ({ kind: 'damaged', record })));
    this.#settleOpened.resolve(restored);
    this.#outbox.resend(appliedNumber);
  }

  #onDeath(reason: string, retryInMs: number): void {
    if (!this.#isOpen) {
      this.#failOpening(new StoreOpenError('disk', `the store thread did not start: ${reason}`));
      return;
    }
    this.#channel.clear();
    this.#outbox.disconnect();
    this.#questions.abandon();
    this.#threadRestarts += 1;
    this.#options.log.error({ reason, retryInMs }, 'the store thread died and is being restarted');
    this.#setHealth({ state: 'restarting', since: this.#options.wallMs(), detail: reason });
  }

  #failOpening(error: StoreOpenError): void {
    this.#settleOpened.reject(error);
    clearInterval(this.#stuckTimer);
    void this.#worker.end(CLOSE_THREAD_MS);
  }

  #checkStuck(): void {
    this.#health.logDue();
    const unansweredMs = this.#outbox.unansweredMs;
    if (this.#health.present.state !== 'ok' || unansweredMs < STUCK_AFTER_MS) return;
    const detail = `the disk has not answered for ${Math.round(unansweredMs / 1_000)} s`;
    this.#setHealth({ state: 'failing', since: this.#options.wallMs(), detail });
  }

  #setHealth(health: StoreHealth): void {
    if (this.#health.set(health) && this.#health.isWithoutDisk) this.#outbox.releaseQuestions();
  }
}

/**
 * Opens the store in `dataDir`, which is created if need be, and gives the state with which the gateway goes on (D-03).
 * A damaged database is set aside and named in `restored`. Rejects with StoreOpenError when another process uses the
 * directory, when a newer program wrote it, or when the disk can be neither read nor written.
 */
export async function openStore(options: StoreOptions): Promise<OpenedStore> {
  const store = new SqliteStore(options);
  const restored = await store.opened;
  const testing: StoreTesting = {
    stall: (forMs) => store.provoke({ kind: 'stall', forMs }),
    crash: () => store.provoke({ kind: 'crash' }),
    limitPages: (pages) => store.provoke({ kind: 'limitPages', pages }),
  };
  return { store, restored, testing };
}

function isOfOrder({ kind }: StoreRecord): boolean {
  return kind === 'orderPut' || kind === 'orderRemoved';
}

/**
 * Whether a person, an API client or a device over HTTP asks once and waits for yes or no. A publisher over MQTT waits
 * for its PUBACK as long as it takes, and the broker's own records wait with it.
 */
function isAskedOnce(record: StoreFact): boolean {
  switch (record.kind) {
    case 'part':
    case 'downtime':
    case 'downtimeRemoved':
    case 'plant':
    case 'orderPut':
    case 'orderRemoved':
    case 'profile':
    case 'taskProgress':
    case 'coilLocation':
    case 'legacyWrite':
    case 'legacyWriteSettled':
    case 'warehouseSeed':
    case 'warehouseRemoval':
    case 'receivedOperation':
    case 'nameTaken':
    case 'nameRefused':
    case 'nameGranted':
    case 'gatewayRenamed':
    case 'gatewayRetired':
    case 'requestDone':
    case 'act':
    case 'setAsideRetried':
    case 'setAsideDiscarded':
      return true;
    case 'variables':
      return record.receipt === null;
    default:
      return false;
  }
}
