import { readlinkSync } from 'node:fs';
import { basename } from 'node:path';
import { type MessagePort, parentPort } from 'node:worker_threads';
import { STORE_PULSE } from '../../../flows/store-health-ports.ts';
import { Chunks } from '../client/store-thread.ts';
import type { Batch, FromThread, StoreThreadData, ToThread } from '../protocol.ts';
import { answer } from '../questions.ts';
import { StoreOpenError } from '../store-open-error.ts';
import { diskFault, errorText } from './database/disk-fault.ts';
import { returnFreedMemoryRegularly } from './database/return-freed-memory.ts';
import { loadSqliteAddon } from './database/sqlite-addon.ts';
import { collectAllStartGarbage } from './start-garbage.ts';
import { openCore, type StoreCore } from './store-core.ts';
import { MAX_RECENT_AGE_MS, MAX_RECENT_POINTS } from './variables/block-packer.ts';

const BEAT_MS = 1_000;
const COLLECT_AFTER_MS = 1_000;

/** The store thread: opens the database that the first message names, then commits and answers until it is closed. */
function runStoreThread(): void {
  const port = parentPort;
  if (port === null) throw new Error('the store runs in a worker thread');
  port.once('message', (message: ToThread) => {
    if (message.kind === 'open') serve(port, message.data);
    else port.close();
  });
  loadWhileWaiting();
}

/** The main thread still reads the configuration. Meanwhile this thread loads for 25 ms what it needs later. */
function loadWhileWaiting(): void {
  try {
    loadSqliteAddon();
  } catch {
    // It is loaded again when the database is opened, which reports the fault.
  }
}

function serve(port: MessagePort, data: StoreThreadData): void {
  const tell = (message: FromThread) => port.postMessage(message);
  const beat = data.pulse === undefined ? null : startBeat(data.pulse);
  const core = open(data, tell);
  if (core === null) {
    port.close();
    return;
  }
  // The garbage collection waits: the main thread needs the first answers before it can serve.
  setTimeout(() => void collectAllStartGarbage(), COLLECT_AFTER_MS).unref();
  returnFreedMemoryRegularly();
  const loop = new CommitLoop(core, tell);
  const chunks = new Chunks();
  // A fault here occurs again at the first question, which reports it.
  void Promise.allSettled([core.warehouse.taskQueries.prepare(), core.warehouse.coilQueries.prepare()]);
  const reply = async ({ id, question, args }: Extract<ToThread, { kind: 'ask' }>) => {
    try {
      const value = await answer(core, question, args);
      port.postMessage({ kind: 'answer', id, value } satisfies FromThread, bytesIn(value));
    } catch (error) {
      // A thread that was started for damage has looked at the whole file, and another look would find nothing.
      const fault = diskFault(error);
      const isDamage = fault === 'corrupt' && !data.suspect;
      if (isDamage) loop.failed(error);
      const isPassing = isDamage || (fault !== 'corrupt' && fault !== 'none');
      tell({ kind: 'unanswered', id, message: errorText(error), isPassing });
    }
  };
  port.on('message', (message: ToThread) => {
    switch (message.kind) {
      case 'open':
        throw new Error('a store thread opens one database');
      case 'part':
        chunks.take(message);
        prepareSeeds(core, message);
        return;
      case 'batch':
        loop.add(chunks.whole(message.batch));
        return;
      case 'ask':
        // The answer comes after the turn in which earlier batches are committed.
        setImmediate(() => void reply(message));
        return;
      case 'close':
        loop.end();
        if (beat !== null) clearInterval(beat);
        core.connection.close();
        core.lock.close();
        port.close();
        return;
      default:
        provoke(core, message);
    }
  });
}

/** Shows the watchdog that this thread's loop turns, which thread it is, and that it opens the database. */
function startBeat(pulse: Int32Array<SharedArrayBuffer>): NodeJS.Timeout {
  Atomics.store(pulse, STORE_PULSE.opening, 1);
  Atomics.store(pulse, STORE_PULSE.threadId, ownThreadId());
  return setInterval(() => Atomics.add(pulse, STORE_PULSE.beat, 1), BEAT_MS).unref();
}

/** The kernel's number of the thread; 0 on systems without /proc. */
function ownThreadId(): number {
  try {
    return Number(basename(readlinkSync('/proc/thread-self')));
  } catch {
    return 0;
  }
}

/** The memory of an answer that is bytes. It is handed over, because a copy of megabytes would hold up both threads. */
function bytesIn(value: unknown): ArrayBuffer[] {
  if (typeof value !== 'object' || value === null || !('bytes' in value)) return [];
  const { bytes } = value;
  const isWhole = bytes instanceof Uint8Array && bytes.length === bytes.buffer.byteLength;
  return isWhole && bytes.buffer instanceof ArrayBuffer ? [bytes.buffer] : [];
}

function open(data: StoreThreadData, tell: (message: FromThread) => void): StoreCore | null {
  try {
    const core = openCore(data);
    const { appliedNumber, restored } = core;
    if (data.pulse !== undefined) Atomics.store(data.pulse, STORE_PULSE.opening, 0);
    tell({ kind: 'opened', appliedNumber, restored });
    return core;
  } catch (error) {
    if (!(error instanceof StoreOpenError)) throw error;
    tell({ kind: 'notOpened', refusal: error.refusal, message: error.message });
    return null;
  }
}

/** A fault here occurs again at the commit, which is retried. */
function prepareSeeds({ warehouse }: StoreCore, { records }: Extract<ToThread, { kind: 'part' }>): void {
  try {
    warehouse.preparedSeeds.prepare(records);
  } catch (error) {
    if (diskFault(error) === 'none') throw error;
  }
}

/** Faults that tests cause on purpose (StoreTesting). */
function provoke(core: StoreCore, fault: Extract<ToThread, { kind: 'stall' | 'crash' | 'limitPages' }>): void {
  switch (fault.kind) {
    case 'stall':
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, fault.forMs);
      return;
    case 'limitPages':
      core.connection.pragma(`max_page_count = ${fault.pages}`);
      return;
    case 'crash':
      throw new Error('crashed on purpose');
  }
}

/** While the disk refuses, the same work is tried again after this time. */
const RETRY_MS = 500;
/** Batches committed in one transaction. */
const MAX_GROUP_BATCHES = 16;
const UPKEEP_MS = 1_000;
/** At this multiple of its bound of unpacked points, packing no longer gives way to commits. */
const PACKING_URGENT_RATIO = 2;

/**
 * The store thread's work: commits the queued records in one transaction, reports it, then packs, checkpoints and
 * prunes in between, each for a few milliseconds. A fault of the disk keeps the queue and tries again.
 */
export class CommitLoop {
  readonly #core: StoreCore;
  readonly #tell: (message: FromThread) => void;
  readonly #queue: Batch[] = [];
  readonly #upkeepTimer: NodeJS.Timeout;
  #turn: NodeJS.Immediate | null = null;
  #retryTimer: NodeJS.Timeout | null = null;
  #oldestRecentAt: number | null;
  #isFaulty = false;
  #commits = 0;
  #commitMs: number | null = null;
  #newestBatchAt = 0;

  constructor(core: StoreCore, tell: (message: FromThread) => void) {
    this.#core = core;
    this.#tell = tell;
    this.#oldestRecentAt = core.recent.count > 0 ? performance.now() : null;
    this.#upkeepTimer = setInterval(() => this.#upkeep(), UPKEEP_MS);
    this.#schedule();
  }

  add(batch: Batch): void {
    this.#newestBatchAt = batch.at;
    this.#queue.push(batch);
    this.#schedule();
  }

  end(): void {
    clearInterval(this.#upkeepTimer);
    if (this.#turn !== null) clearImmediate(this.#turn);
    if (this.#retryTimer !== null) clearTimeout(this.#retryTimer);
    this.#tellStatistics();
  }

  // One turn of the event loop brings all messages that have arrived into the queue before the next group is formed.
  #schedule(): void {
    if (this.#turn !== null || this.#retryTimer !== null) return;
    this.#turn = setImmediate(() => {
      this.#turn = null;
      this.#work();
    });
  }

  #work(): void {
    try {
      const { forwarding, packer } = this.#core;
      const isIdle = this.#queue.length === 0;
      if (!isIdle) this.#commit();
      this.#pack();
      forwarding.statuses.slice();
      forwarding.thinning.slice();
      this.#core.checkpoints.runIfDue(isIdle);
      this.#recovered();
      const isBusy = packer.isPacking || forwarding.statuses.isBusy || forwarding.thinning.isBusy;
      if (this.#queue.length > 0 || isBusy) this.#schedule();
    } catch (error) {
      this.failed(error);
    }
  }

  #commit(): void {
    const { applier, recent } = this.#core;
    const group = this.#queue.slice(0, MAX_GROUP_BATCHES);
    const startMs = performance.now();
    try {
      applier.applyGroup(group);
    } catch (error) {
      if (diskFault(error) !== 'none') throw error;
      this.#commitSingly(group);
      return;
    }
    this.#queue.splice(0, group.length);
    this.#commits += 1;
    this.#commitMs = Math.round((performance.now() - startMs) * 10) / 10;
    if (recent.count > 0) this.#oldestRecentAt ??= performance.now();
    const number = group.at(-1)?.number ?? 0;
    this.#tell({ kind: 'applied', number, refusals: [] });
  }

  /**
   * Commits a group batch by batch, because one of its entries can never be stored. The others must not wait for it.
   */
  #commitSingly(group: readonly Batch[]): void {
    for (const batch of group) {
      const refusals = this.#core.applier.applySingly(batch);
      this.#queue.shift();
      this.#commits += 1;
      this.#tell({ kind: 'applied', number: batch.number, refusals });
    }
  }

  #pack(): void {
    const { packer, recent } = this.#core;
    // Points of other gateways are not committed by this loop, so their age begins here.
    if (recent.count > 0 && !packer.isPacking) this.#oldestRecentAt ??= performance.now();
    const ageMs = this.#oldestRecentAt === null ? 0 : performance.now() - this.#oldestRecentAt;
    if (!packer.isPacking && (recent.count >= MAX_RECENT_POINTS || ageMs >= MAX_RECENT_AGE_MS)) {
      packer.begin();
      this.#oldestRecentAt = null;
    }
    const isUrgent = recent.count >= MAX_RECENT_POINTS * PACKING_URGENT_RATIO;
    if (isUrgent || this.#queue.length === 0) packer.slice();
  }

  #upkeep(): void {
    this.#tellStatistics();
    if (this.#isFaulty) return;
    try {
      this.#core.receipts.prune(this.#newestBatchAt);
    } catch (error) {
      this.failed(error);
    }
    this.#schedule();
  }

  /** Tells a fault of the disk and tries again later. Throws any other error, which ends the thread. */
  failed(error: unknown): void {
    const fault = diskFault(error);
    // Any other fault is one of the program: the thread dies and is restarted.
    if (fault === 'none') throw error;
    this.#isFaulty = true;
    const isCorrupt = fault === 'corrupt';
    this.#tell({
      kind: 'fault',
      state: fault === 'full' ? 'full' : 'failing',
      detail: errorText(error),
      corrupt: isCorrupt,
    });
    // The thread that follows this one looks at the whole file and sets it aside.
    if (isCorrupt) throw error;
    this.#retryTimer ??= setTimeout(() => {
      this.#retryTimer = null;
      this.#schedule();
    }, RETRY_MS);
  }

  #recovered(): void {
    if (!this.#isFaulty) return;
    this.#isFaulty = false;
    this.#tell({ kind: 'recovered' });
  }

  #tellStatistics(): void {
    const [commits, commitMs] = [this.#commits, this.#commitMs];
    this.#tell({ kind: 'statistics', statistics: { commits, commitMs, ...this.#core.checkpoints.statistics() } });
  }
}

runStoreThread();
