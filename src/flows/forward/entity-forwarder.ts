import type { ConnectionEvent } from '../../domain/sync/connection-states.ts';
import { isMachineEntity } from '../../domain/sync/operation.ts';
import { type OperationWords, operationWords } from '../../domain/sync/operation-words.ts';
import type { StatusSample } from '../../domain/sync/status-sample.ts';
import type { Clock, Incidents } from '../ports.ts';
import type { After } from './forward-loop.ts';
import { brokenOff, type OperationSender, type SendOutcome, verdictOf } from './operation-sender.ts';
import type { QueueHead, SyncQueries, SyncRecord } from './sync-ports.ts';
import type { CentralServer, UpstreamRecord } from './upstream-ports.ts';

/** A row that the central server refused for good. */
export interface RefusedRow {
  readonly entity: string;
  /** Null for a status or a fact. */
  readonly operation: OperationWords | null;
  readonly reason: string;
}

export interface EntityForwarderOptions {
  readonly store: Pick<SyncQueries, 'queueHeads'> & {
    write(records: readonly (SyncRecord | UpstreamRecord)[]): Promise<void>;
  };
  readonly server: CentralServer;
  readonly operations: Pick<OperationSender, 'send'>;
  readonly clock: Clock;
  readonly after: After;
  readonly incidents: Incidents;
  readonly onConnection: (event: ConnectionEvent) => void;
  readonly onSent: (records: number) => void;
  readonly onRefused: (row: RefusedRow) => void;
  /** Takes the command that the central server would give, in its own words (D-28). */
  readonly onCommand: (sample: StatusSample, command: string) => void;
}

/** Every bound of queues, in rows and milliseconds. */
export const ENTITY_QUEUE_LIMITS = {
  sideBySide: 8,
  headsAtOnce: 32,
  idleMs: 1_000,
  firstRetryMs: 1_000,
  longestRetryMs: 60_000,
  /**
   * A machine that is unknown there usually stays so for a while: its statuses are held back for this time and tried
   * again.
   */
  firstRefusedStatusMs: 300_000,
  longestRefusedStatusMs: 3_600_000,
  /** The maximum age of a status that is still sent as live. */
  presentStatusMs: 10_000,
  /** Statuses that were held are condensed at most once in this time, because the whole queue is read for that. */
  condenseEveryMs: 60_000,
  /** After this many failures in a row, the fault is the server's rather than the rows'. */
  failuresInARow: 8,
} as const;

/** The cause for which an entity waits: a row of it could not be taken, or a machine's status was refused. */
type Cause = 'untaken' | 'refusedStatus';

/**
 * `failures` counts the failures in a row of one cause; a missing answer before does not make a refusal wait longer.
 */
interface Waiting {
  readonly untilMs: number;
  readonly cause: Cause;
  readonly failures: number;
  /** The statuses that were queued during the wait are condensed, or the entity has none. */
  readonly isCondensed: boolean;
}

const LONGEST_WAIT_MS: Readonly<Record<Cause, number>> = {
  untaken: ENTITY_QUEUE_LIMITS.longestRetryMs,
  refusedStatus: ENTITY_QUEUE_LIMITS.longestRefusedStatusMs,
};

/**
 * Sends rows one by one to a server with the interface alone: rows of one entity one after the other, entities side by
 * side (UP-02, UP-03, UP-05). A row that cannot be taken at the moment delays only its own entity.
 */
export class EntityForwarder {
  readonly #options: EntityForwarderOptions;
  readonly #busy = new Map<string, Promise<void>>();
  readonly #waiting = new Map<string, Waiting>();
  /** Outcomes of rows that are not on disk yet: the rows are not sent again. */
  readonly #unwritten = new Map<number, SendOutcome>();
  #heads: QueueHead[] = [];
  #isOn = false;
  #isFilling = false;
  #isStale = false;
  #failuresInARow = 0;
  #heldUntilMs = 0;
  #condensedMs = Number.NEGATIVE_INFINITY;
  #cancelWait: () => void = () => undefined;

  constructor(options: EntityForwarderOptions) {
    this.#options = options;
  }

  /** To be called when the statuses are condensed. */
  start(): void {
    this.#isOn = true;
    this.#failuresInARow = 0;
    this.#heads = [];
    this.#condensedMs = this.#options.clock.now().monotonicMs;
    this.#sendHeads();
  }

  /** Sends nothing new; a request under way goes on to its end. */
  pause(): void {
    this.#isOn = false;
    this.#cancelWait();
  }

  /** Looks for rows now, because a row is new, or a person wants another try. */
  wake(isRetry = false): void {
    if (isRetry) this.#endWaits();
    this.#sendHeads();
  }

  /** Whether a row of the entity is on its way at this moment. */
  isBusy(entity: string): boolean {
    return this.#busy.has(entity);
  }

  async settled(): Promise<void> {
    await Promise.all(this.#busy.values());
  }

  #sendHeads(): void {
    if (!this.#isOn) return;
    const nowMs = this.#options.clock.now().monotonicMs;
    if (nowMs < this.#heldUntilMs) {
      this.#lookAgain(this.#heldUntilMs - nowMs);
      return;
    }
    while (this.#busy.size < ENTITY_QUEUE_LIMITS.sideBySide) {
      const head = this.#heads.shift();
      if (head === undefined) break;
      this.#busy.set(head.entity, this.#run(head));
    }
    if (this.#heads.length === 0 && this.#busy.size < ENTITY_QUEUE_LIMITS.sideBySide) void this.#fill(nowMs);
  }

  async #fill(nowMs: number): Promise<void> {
    this.#isStale = this.#isFilling;
    if (this.#isFilling) return;
    this.#isFilling = true;
    this.#cancelWait();
    const heads = await this.#askHeads(nowMs);
    this.#isFilling = false;
    if (heads === null) {
      this.#lookAgain(ENTITY_QUEUE_LIMITS.idleMs);
      return;
    }
    this.#heads = this.#isOn ? [...heads] : [];
    if (heads.length > 0 || this.#isStale) this.#sendHeads();
    else this.#rest(nowMs);
  }

  /** Gives null if the store cannot answer. The failures of an entity stay known while it is not asked for. */
  async #askHeads(nowMs: number): Promise<readonly QueueHead[] | null> {
    const waiting = [...this.#waiting].filter(([, { untilMs }]) => untilMs > nowMs).map(([entity]) => entity);
    try {
      await this.#condense(nowMs);
      return await this.#options.store.queueHeads([...this.#busy.keys(), ...waiting], ENTITY_QUEUE_LIMITS.headsAtOnce);
    } catch (error) {
      this.#report('queue', `it could not be condensed or read: ${String(error)}`);
      return null;
    }
  }

  /** Statuses that were queued while a machine waited are not sent as if they were present ones (D-26). */
  async #condense(nowMs: number): Promise<void> {
    const ended = [...this.#waiting].filter(([, { untilMs, isCondensed }]) => untilMs <= nowMs && !isCondensed);
    if (ended.length === 0) return;
    const { store, clock } = this.#options;
    const { condenseEveryMs, presentStatusMs } = ENTITY_QUEUE_LIMITS;
    if (nowMs - this.#condensedMs >= condenseEveryMs) {
      const before = Math.round(clock.now().wallMs) - presentStatusMs;
      await store.write([{ kind: 'statusesCondensed', before }]);
      this.#condensedMs = nowMs;
    }
    for (const [entity, waiting] of ended) {
      // A row under way may have begun another wait meanwhile.
      if (this.#waiting.get(entity) === waiting) this.#waiting.set(entity, { ...waiting, isCondensed: true });
    }
  }

  #endWaits(): void {
    const untilMs = this.#options.clock.now().monotonicMs;
    for (const [entity, waiting] of this.#waiting) this.#waiting.set(entity, { ...waiting, untilMs, failures: 0 });
  }

  #rest(nowMs: number): void {
    const untils = [...this.#waiting.values()].map(({ untilMs }) => untilMs).filter((untilMs) => untilMs > nowMs);
    if (this.#busy.size === 0 && untils.length === 0) this.#options.onConnection({ type: 'nothingWaits' });
    this.#lookAgain(Math.max(1, Math.min(ENTITY_QUEUE_LIMITS.idleMs, ...untils.map((untilMs) => untilMs - nowMs))));
  }

  #lookAgain(afterMs: number): void {
    this.#cancelWait();
    if (this.#isOn) this.#cancelWait = this.#options.after(afterMs, () => this.#sendHeads());
  }

  async #run(head: QueueHead): Promise<void> {
    try {
      const outcome = this.#unwritten.get(head.seq) ?? (await this.#send(head));
      await this.#end(head, outcome);
    } catch (error) {
      this.#report(head.entity, `what came of it could not be kept: ${String(error)}`);
      this.#hold(head.entity, 'untaken', ENTITY_QUEUE_LIMITS.firstRetryMs);
    }
    this.#busy.delete(head.entity);
    this.#sendHeads();
  }

  async #send({ seq, item }: QueueHead): Promise<SendOutcome> {
    if (item.kind === 'act') return this.#options.operations.send(seq, item.queued);
    const request = { method: 'POST', path: '/api/device/status', body: item.sample.json } as const;
    const answer = await this.#options.server.ask(request);
    if (answer.kind !== 'answered') return { kind: 'unreachable', detail: answer.detail };
    const verdict = verdictOf(answer);
    if (verdict.kind !== 'taken') return verdict;
    if (answer.extent === 'cutOff') return brokenOff(request.path);
    this.#options.onCommand(item.sample, answer.bytes.toString('utf8'));
    return { kind: 'sent', records: [] };
  }

  async #end(head: QueueHead, outcome: SendOutcome): Promise<void> {
    const { onConnection } = this.#options;
    switch (outcome.kind) {
      case 'sent':
        return this.#sent(head, outcome);
      case 'refused':
        return this.#refused(head, outcome);
      case 'later':
        return this.#later(head.entity, outcome);
      case 'unauthorized':
        return onConnection({ type: 'unauthorized', detail: outcome.detail });
      case 'unreachable':
        // The server may leave only this request unanswered: the next try begins with others.
        this.#hold(head.entity, 'untaken', ENTITY_QUEUE_LIMITS.firstRetryMs);
        return onConnection({ type: 'failed', detail: outcome.detail });
    }
  }

  async #sent({ seq, entity }: QueueHead, outcome: Extract<SendOutcome, { kind: 'sent' }>): Promise<void> {
    this.#unwritten.set(seq, outcome);
    await this.#options.store.write([...outcome.records, { kind: 'rowsSent', seqs: [seq] }]);
    this.#unwritten.delete(seq);
    this.#waiting.delete(entity);
    this.#failuresInARow = 0;
    this.#options.onSent(1);
    this.#options.onConnection({ type: 'acknowledged' });
  }

  async #refused({ seq, entity, item }: QueueHead, outcome: Extract<SendOutcome, { kind: 'refused' }>): Promise<void> {
    const { store, clock, onRefused, onConnection } = this.#options;
    const { reason, doubtsKey } = outcome;
    this.#unwritten.set(seq, outcome);
    await store.write([{ kind: 'rowSetAside', seq, reason, at: Math.round(clock.now().wallMs) }]);
    this.#unwritten.delete(seq);
    this.#failuresInARow = 0;
    if (item.kind === 'status') this.#hold(entity, 'refusedStatus', ENTITY_QUEUE_LIMITS.firstRefusedStatusMs);
    else this.#waiting.delete(entity);
    onRefused({ entity, operation: item.kind === 'act' ? operationWords(item.queued) : null, reason });
    onConnection({ type: 'acknowledged' });
    if (doubtsKey) onConnection({ type: 'doubted' });
  }

  #later(entity: string, { detail, forMs, doubtsServer }: Extract<SendOutcome, { kind: 'later' }>): void {
    this.#failuresInARow += 1;
    this.#report(entity, `it cannot be taken at the moment: ${detail}`);
    this.#hold(entity, 'untaken', forMs ?? ENTITY_QUEUE_LIMITS.firstRetryMs);
    if (doubtsServer) this.#options.onConnection({ type: 'doubted' });
    if (forMs !== null) this.#heldUntilMs = this.#options.clock.now().monotonicMs + forMs;
    if (this.#failuresInARow < ENTITY_QUEUE_LIMITS.failuresInARow) return;
    this.#failuresInARow = 0;
    if (forMs === null) this.#options.onConnection({ type: 'failed', detail });
  }

  #hold(entity: string, cause: Cause, firstMs: number): void {
    const before = this.#waiting.get(entity);
    const failures = before?.cause === cause ? before.failures : 0;
    const untilMs = this.#options.clock.now().monotonicMs + Math.min(LONGEST_WAIT_MS[cause], firstMs * 2 ** failures);
    const isCondensed = !isMachineEntity(entity);
    this.#waiting.set(entity, { untilMs, cause, failures: failures + 1, isCondensed });
  }

  #report(subject: string, detail: string): void {
    this.#options.incidents.report({ kind: 'upstream', subject, detail });
  }
}
