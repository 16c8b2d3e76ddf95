import { CodedError } from '../../domain/error.ts';
import { type RequestReceipt, receiptsOf } from '../../domain/request-receipt.ts';
import type { OperationRecord } from '../../domain/sync/operation.ts';
import { type Operation, taskAct } from '../../domain/sync/operation.ts';
import { agentNotAvailable, noSuchCoil, rejectedByAgent, writeUnconfirmed } from '../../domain/warehouse/refusals.ts';
import { NO_OPERATIONS, type OperationQueue } from '../forward/operation-queue-flow.ts';
import { KeyedMutex } from '../keyed-mutex.ts';
import type { Clock, Incidents } from '../ports.ts';
import { type LegacyVerdict, settleLegacyWrite, type UnconfirmedWrite } from './settle-legacy-write.ts';
import type { LegacyAgent, LegacyOutcome, LegacyWrite, WarehouseRecord, WarehouseStore } from './warehouse-ports.ts';

export interface LegacyWritesOptions {
  readonly agent: LegacyAgent;
  readonly store: Pick<WarehouseStore, 'write' | 'coil'>;
  readonly clock: Clock;
  readonly newId: () => string;
  /** From 0 to 1, for the jitter of retries. */
  readonly random: () => number;
  /** Calls `act` after the delay. The function that it gives cancels this. */
  readonly after: (delayMs: number, act: () => void) => () => void;
  readonly incidents: Incidents;
  /** Left out without a central server, or if the agent is the central server. */
  readonly operations?: OperationQueue;
  /**
   * Called once the outcome of a write is on disk. `isLate` tells that its request was answered before, without the
   * outcome.
   */
  readonly onSettled: (write: LegacyWrite, verdict: LegacyVerdict, isLate: boolean) => void;
  /** Called when the request of a write is answered without the outcome. */
  readonly onLate: (write: LegacyWrite) => void;
  /** Left out or null: no other node of a central server writes. */
  readonly nodes?: { readonly duty: { readonly isOurs: boolean } } | null;
}

/** The fields of a write that its caller gives. `LegacyWrites` finds the others. */
export type LegacyWriteRequest = Pick<LegacyWrite, 'coilId' | 'location' | 'principal' | 'purpose' | 'receipt'>;

/** A write whose outcome is not on disk. */
interface OpenWrite extends UnconfirmedWrite {
  readonly write: LegacyWrite;
  hasFailed: boolean;
  /** Its request was answered without the outcome. */
  isLate: boolean;
  /** The agent's answer, while it is not yet on our own disk. */
  verdict: LegacyVerdict | null;
  settling: Promise<LegacyVerdict | null> | null;
  failedTries: number;
  cancelRetry: () => void;
}

/** Operations of one coil that may wait behind one another; each may take as long as the agent may. */
const MAX_WAITING_PER_COIL = 10;
const FIRST_RETRY_MS = 1_000;
const LONGEST_RETRY_MS = 30_000;
/** A write of another node is settled here if that node has not done it for so long: longer than an agent may take. */
const OTHERS_AFTER_MS = 2 * 60_000;

/**
 * Writes coil locations to the legacy system first and here second (interface.md, Coils; UP-04). The
 * intent is on disk before the agent is asked, and gone with the commit that holds its outcome. A write without an outcome
 * is unconfirmed: until it is settled its coil and its task take no other one (D-16). There is one write of a coil at a time.
 */
export class LegacyWrites {
  readonly #options: LegacyWritesOptions;
  readonly #turns = new KeyedMutex('coil', MAX_WAITING_PER_COIL);
  /** By coil: one at most, because none is begun while one is open. */
  readonly #open = new Map<string, OpenWrite>();
  #isStopped = false;

  constructor(options: LegacyWritesOptions) {
    this.#options = options;
  }

  /**
   * Takes up the writes that the gateway's last stop left open. Settling begins at once; the call does not wait for it.
   */
  restore(writes: readonly LegacyWrite[]): void {
    for (const write of writes) {
      if ((this.#options.nodes ?? null) !== null) {
        this.#watch(write);
        continue;
      }
      const open = openWrite(write, true);
      this.#open.set(write.coilId, open);
      this.#settleUnwatched(open);
    }
  }

  /** Takes up what another node of a central server has written. */
  follow(record: WarehouseRecord): void {
    if (record.kind === 'legacyWrite') this.#watch(record.write);
    if (record.kind !== 'legacyWriteSettled') return;
    for (const [coilId, open] of this.#open) {
      if (open.write.operationId !== record.operationId) continue;
      open.cancelRetry();
      this.#open.delete(coilId);
    }
  }

  /** The writes whose requests were answered without the outcome, the oldest first. */
  late(): readonly LegacyWrite[] {
    return [...this.#open.values()].flatMap(({ write, isLate }) => (isLate ? [write] : []));
  }

  /** Resolves when no write of the task is unconfirmed, trying to settle one that is. Rejects with `outcome-unknown`. */
  async requireSettledTask(taskId: string): Promise<void> {
    for (const open of this.#open.values()) {
      const { purpose } = open.write;
      if (purpose.type !== 'move' && purpose.taskId === taskId) await this.#requireSettled(open);
    }
  }

  /** Resolves when no write of the request with this key is unconfirmed; its outcome is on disk then. */
  async requireSettledRequest({ principal, key }: Pick<RequestReceipt, 'principal' | 'key'>): Promise<void> {
    for (const open of this.#open.values()) {
      const { receipt } = open.write;
      if (receipt?.key === key && receipt.principal === principal) await this.#requireSettled(open);
    }
  }

  /**
   * Writes through; resolves once the legacy system has the write and its outcome is on disk. Rejects with
   * `agent-unavailable` (nothing changed), with `outcome-unknown` (unconfirmed), with `invalid-input` in the agent's words
   * if it refuses, and with the errors of the store.
   */
  write(request: LegacyWriteRequest): Promise<void> {
    return this.#turns.runExclusive(request.coilId, () => this.#write(request));
  }

  /**
   * Records the location of a coil that another gateway moved, also in the legacy system. It is one commit with the
   * other records of that operation, and waits while a write of our own is unconfirmed.
   */
  adopt(coilId: string, records: Parameters<WarehouseStore['write']>[0]): Promise<void> {
    return this.#turns.runExclusive(coilId, async () => {
      const earlier = this.#open.get(coilId);
      if (earlier !== undefined) await this.#requireSettled(earlier);
      await this.#options.store.write(records);
    });
  }

  /** Our own disk takes records again: writes that wait only for the disk are recorded at once. */
  recordNow(): void {
    for (const open of this.#open.values()) if (open.verdict !== null) this.#settleUnwatched(open);
  }

  /** Stops settling; open writes stay open on disk. */
  stop(): void {
    this.#isStopped = true;
    for (const { cancelRetry } of this.#open.values()) cancelRetry();
  }

  async #write(request: LegacyWriteRequest): Promise<void> {
    const { agent, store, clock, newId } = this.#options;
    const earlier = this.#open.get(request.coilId);
    if (earlier !== undefined) await this.#requireSettled(earlier);
    const coil = await store.coil(request.coilId);
    if (coil === null) throw noSuchCoil(request.coilId);
    const startedAt = Math.round(clock.now().wallMs);
    const write = { ...request, operationId: newId(), previousLocation: coil.location, startedAt };
    await store.write([{ kind: 'legacyWrite', write }]);
    const open = openWrite(write, false);
    this.#open.set(write.coilId, open);
    const verdict = await this.#verdictOf(open, await agent.move(write));
    if (verdict === null) throw writeUnconfirmed(write.coilId);
    if (verdict.kind === 'undone') throw agentNotAvailable();
    if (verdict.kind === 'rejected') throw rejectedByAgent(verdict);
  }

  /**
   * Gives null while the write is unconfirmed. A certain outcome counts as unconfirmed until it is on disk, because a
   * restart would send the write again.
   */
  #verdictOf(open: OpenWrite, outcome: LegacyOutcome): Promise<LegacyVerdict | null> {
    switch (outcome.kind) {
      case 'applied':
      case 'rejected':
        open.verdict = outcome;
        break;
      case 'offline':
        this.#report(open.write, `was not done: ${outcome.detail}`);
        open.verdict = { kind: 'undone' };
        break;
      case 'failed':
      case 'unconfirmed':
        this.#report(open.write, `is unconfirmed: ${outcome.detail}`);
        open.hasFailed = outcome.kind === 'failed';
    }
    return this.#settle(open);
  }

  async #requireSettled(open: OpenWrite): Promise<void> {
    if ((await this.#settle(open)) === null) throw writeUnconfirmed(open.write.coilId);
  }

  /** One try, which all callers meanwhile share; without an outcome another try follows by itself. */
  #settle(open: OpenWrite): Promise<LegacyVerdict | null> {
    open.cancelRetry();
    open.settling ??= this.#try(open).finally(() => {
      open.settling = null;
      if (this.#open.get(open.write.coilId) !== open) return;
      this.#noteLate(open);
      this.#retryLater(open);
    });
    return open.settling;
  }

  #noteLate(open: OpenWrite): void {
    if (open.isLate) return;
    open.isLate = true;
    this.#options.onLate(open.write);
  }

  async #try(open: OpenWrite): Promise<LegacyVerdict | null> {
    const { write } = open;
    open.verdict ??= await settleLegacyWrite(open, this.#options.agent);
    if (open.verdict === null) return null;
    if (
      !(await this.#isRecorded(outcomeRecords(write, open.verdict, this.#options.operations ?? NO_OPERATIONS), write))
    )
      return null;
    this.#open.delete(write.coilId);
    this.#options.onSettled(write, open.verdict, open.isLate);
    return open.verdict;
  }

  /**
   * Gives false if our own disk takes nothing at present. The caller then learns that the outcome is unknown, because
   * the write will still be completed.
   */
  async #isRecorded(outcome: ReturnType<typeof outcomeRecords>, write: LegacyWrite): Promise<boolean> {
    try {
      await this.#options.store.write(outcome);
      return true;
    } catch (error) {
      if (!(error instanceof CodedError && error.code === 'store-unavailable')) throw error;
      this.#report(write, `is not recorded: ${error.message}`);
      return false;
    }
  }

  #retryLater(open: OpenWrite): void {
    if (this.#isStopped) return;
    const { after, random } = this.#options;
    const longestMs = Math.min(LONGEST_RETRY_MS, FIRST_RETRY_MS * 2 ** open.failedTries);
    open.failedTries += 1;
    open.cancelRetry = after(longestMs * (0.5 + random() / 2), () => this.#settleUnwatched(open));
  }

  #settleUnwatched(open: OpenWrite): void {
    this.#settle(open).catch((error: unknown) => this.#report(open.write, `is not settled: ${String(error)}`));
  }

  /** The node that began the write settles it, or, if it is gone, the one with the duty. */
  #watch(write: LegacyWrite): void {
    const open = openWrite(write, true);
    this.#open.set(write.coilId, open);
    this.#settleForOther(open);
  }

  #settleForOther(open: OpenWrite): void {
    open.cancelRetry = this.#options.after(OTHERS_AFTER_MS, () => {
      if (this.#isStopped || this.#open.get(open.write.coilId) !== open) return;
      if (this.#options.nodes?.duty.isOurs === true) this.#settleUnwatched(open);
      else this.#settleForOther(open);
    });
  }

  #report({ coilId, location }: LegacyWrite, what: string): void {
    this.#options.incidents.report({
      kind: 'legacyAgent',
      subject: coilId,
      detail: `the write of coil ${coilId} to ${location} ${what}`,
    });
  }
}

function openWrite(write: LegacyWrite, isLate: boolean): OpenWrite {
  const noTry = { verdict: null, settling: null, failedTries: 0, cancelRetry: () => undefined };
  return { write, hasFailed: false, isLate, ...noTry };
}

/** The outcome in one commit: the task, the coil, and the end of the open write. */
function outcomeRecords(
  write: LegacyWrite,
  verdict: LegacyVerdict,
  operations: OperationQueue,
): readonly (WarehouseRecord | OperationRecord | RequestReceipt)[] {
  const { operationId, coilId, location, purpose, principal, receipt = null } = write;
  const settled = { kind: 'legacyWriteSettled', operationId } as const;
  if (verdict.kind !== 'applied') return [settled];
  const moved = { kind: 'coilLocation', coilId, location } as const;
  const queued = operations.recordsOf(operationOf(write), principal, { operationId, at: doneAt(write) });
  const written = [moved, settled, ...queued, ...receiptsOf(receipt)];
  if (purpose.type === 'move') return written;
  return [{ kind: 'taskProgress', taskId: purpose.taskId, progress: purpose.progress }, ...written];
}

/** The time that the task itself has, if it has one. */
function doneAt({ purpose, startedAt }: LegacyWrite): number {
  const completedDate = purpose.type === 'complete' ? purpose.progress.completedDate : null;
  return completedDate === null ? startedAt : Date.parse(completedDate);
}

/** The write as the central server gets it, in the name of the operator resolved for it (D-31). */
function operationOf({ coilId, location, purpose }: LegacyWrite): Operation {
  switch (purpose.type) {
    case 'move':
      return { type: 'coilMove', coilId, location };
    case 'cancel':
      return taskAct(purpose.taskId, { type: 'cancel', coilId, location }, purpose.operatorBefore);
    case 'complete': {
      const operation = { type: 'complete', location, userName: purpose.progress.userName } as const;
      return { type: 'taskOperation', taskId: purpose.taskId, operation };
    }
  }
}
