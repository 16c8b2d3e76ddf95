import type { Batch, FromThread } from '../protocol.ts';
import { diskFault, errorText } from './database/disk-fault.ts';
import type { StoreCore } from './store-core.ts';
import { MAX_RECENT_AGE_MS, MAX_RECENT_POINTS } from './variables/block-packer.ts';

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
