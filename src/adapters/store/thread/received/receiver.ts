import type { Operation, QueuedOperation } from '../../../../domain/sync/operation.ts';
import { receivedMachineId } from '../../../../domain/sync/received-id.ts';
import { WorkQueue } from '../../../../domain/work-queue.ts';
import type {
  ApplyTerms,
  BatchBody,
  BatchGone,
  BatchOutcome,
  BatchReading,
  BatchVerdict,
  OperationPage,
} from '../../../../flows/receive/receive-ports.ts';
import type { VariableQueries } from '../variables/variable-queries.ts';
import type { PointRun, ReadBatch } from './read-batch.ts';

/** The database as batches need it: SQLite here, PostgreSQL in src/central. */
export interface ReceiverParts {
  readonly judge: (batch: ReadBatch) => BatchVerdict | Promise<BatchVerdict>;
  /** The newest time of points that the batch may bring again (StreamPositions); null without such points. */
  readonly newestPointOfOthers: (batch: ReadBatch) => number | null | Promise<number | null>;
  readonly variables: Pick<VariableQueries, 'points'>;
  /** Applies all but the operations in one step, exactly once. */
  readonly apply: (batch: ReadBatch, runs: readonly PointRun[], terms: ApplyTerms) => Promise<BatchOutcome>;
}

const GONE: BatchGone = { kind: 'gone' };
const BUSY = { kind: 'refused', fault: 'busy', reason: 'too many batches wait for the disk: try again' } as const;
/** A page of operations ends behind this number of operations, or of characters. */
const PAGE_OPERATIONS = 100;
const PAGE_CHARACTERS = 256 * 1024;
const FEATURE_CHARACTERS = 300;

/** Batches of other gateways on their way into the database (contract.md, Upstream; D-27). */
export class Receiver {
  readonly #parts: ReceiverParts;
  readonly #waiting = new WaitingBatches();
  readonly #readings = new WorkQueue();

  constructor(parts: ReceiverParts) {
    this.#parts = parts;
  }

  /** Reads one body at a time, because one may take as much memory as all waiting ones. */
  read(body: BatchBody): Promise<BatchReading> {
    return this.#readings.run(() => this.#read(body));
  }

  async judge(ticket: number): Promise<BatchVerdict> {
    const batch = this.#waiting.find(ticket);
    if (batch === null) return GONE;
    const verdict = await this.#parts.judge(batch);
    if (verdict.kind !== 'next') this.#waiting.drop(ticket);
    return verdict;
  }

  operationPage(ticket: number, after: number): OperationPage | BatchGone {
    const batch = this.#waiting.find(ticket);
    if (batch === null) return GONE;
    const operations: { readonly seq: number; readonly queued: QueuedOperation }[] = [];
    let characters = 0;
    let isEnd = true;
    for (const record of batch.records) {
      if (record.kind !== 'act' || record.seq <= after) continue;
      isEnd = operations.length < PAGE_OPERATIONS && characters < PAGE_CHARACTERS;
      if (!isEnd) break;
      operations.push(record);
      characters += charactersOf(record.queued.act);
    }
    return { kind: 'operations', operations, isEnd };
  }

  async apply(ticket: number, terms: ApplyTerms): Promise<BatchOutcome> {
    const batch = this.#waiting.find(ticket);
    if (batch === null) return GONE;
    try {
      return await this.#parts.apply(batch, await this.#newPoints(batch), terms);
    } finally {
      this.#waiting.drop(ticket);
    }
  }

  drop(ticket: number): void {
    this.#waiting.drop(ticket);
  }

  async #read(body: BatchBody): Promise<BatchReading> {
    if (!this.#waiting.hasRoom()) return BUSY;
    // Loaded here, because most gateways never get a batch.
    const { readBatch } = await import('./read-batch.ts');
    const batch = await readBatch(body);
    if ('kind' in batch) return batch;
    const { gatewayId, stream } = batch.header;
    return { kind: 'read', ticket: this.#waiting.add(batch), gatewayId, stream };
  }

  async #newPoints(batch: ReadBatch): Promise<ReadBatch['points']> {
    if (batch.points.length === 0) return batch.points;
    const newestKnownAt = await this.#parts.newestPointOfOthers(batch);
    if (newestKnownAt === null) return batch.points;
    return newPoints(batch.header.gatewayId, batch.points, newestKnownAt, this.#parts.variables);
  }
}

/** About the length of an operation as JSON, if it may be long. */
function charactersOf(operation: Operation): number {
  if (operation.type === 'orderPut') return operation.json.length;
  return operation.type === 'profilePut' ? operation.profile.features.length * FEATURE_CHARACTERS : 0;
}

/**
 * Leaves out the points that are here already. A data directory that was restored or copied sends the points of an earlier
 * stream of its gateway again, under a new stream: points of the same time and value up to `newestKnownAt`.
 */
export async function newPoints(
  gatewayId: string,
  runs: readonly PointRun[],
  newestKnownAt: number,
  variables: Pick<VariableQueries, 'points'>,
): Promise<readonly PointRun[]> {
  const left: PointRun[] = [];
  for (const run of runs) {
    const from = run.at.reduce((least, at) => Math.min(least, at), Number.POSITIVE_INFINITY);
    left.push(from > newestKnownAt ? run : await unknownOf(run, gatewayId, from, variables));
  }
  return left;
}

async function unknownOf(
  run: PointRun,
  gatewayId: string,
  from: number,
  variables: Pick<VariableQueries, 'points'>,
): Promise<PointRun> {
  const to = run.at.reduce((greatest, at) => Math.max(greatest, at), from) + 1;
  const stored = await variables.points(receivedMachineId(gatewayId, run.machineId), run.name, { from, to });
  const known = new Map<number, number[]>();
  for (const [index, at] of stored.at.entries()) {
    const values = known.get(at);
    if (values === undefined) known.set(at, [stored.value[index] ?? Number.NaN]);
    else values.push(stored.value[index] ?? Number.NaN);
  }
  const isNew = (_: number, index: number) => {
    const values = known.get(run.at[index] ?? 0);
    return values === undefined || !values.includes(run.value[index] ?? 0);
  };
  return { ...run, at: run.at.filter(isNew), value: run.value.filter(isNew) };
}

/** The unpacked bytes of batches that are read and not applied yet. */
const MAX_WAITING_BYTES = 64 * 1024 * 1024;
/** Batches that are read and not applied yet. One more is refused for now, and its gateway sends it again. */
const MAX_WAITING = 2_000;
/** A batch that is not applied after this time is forgotten; its gateway sends it again. */
const MAX_WAIT_MS = 60_000;

interface Waiting {
  readonly batch: ReadBatch;
  askedAt: number;
}

/** Batches that are read and wait for their gateway's turn, by ticket. */
export class WaitingBatches {
  readonly #waiting = new Map<number, Waiting>();
  #bytes = 0;
  #lastTicket = 0;

  hasRoom(): boolean {
    this.#dropForgotten();
    return this.#bytes < MAX_WAITING_BYTES && this.#waiting.size < MAX_WAITING;
  }

  add(batch: ReadBatch): number {
    this.#lastTicket += 1;
    this.#waiting.set(this.#lastTicket, { batch, askedAt: performance.now() });
    this.#bytes += batch.bytes;
    return this.#lastTicket;
  }

  find(ticket: number): ReadBatch | null {
    const waiting = this.#waiting.get(ticket);
    if (waiting === undefined) return null;
    waiting.askedAt = performance.now();
    return waiting.batch;
  }

  drop(ticket: number): void {
    const waiting = this.#waiting.get(ticket);
    if (waiting === undefined) return;
    this.#waiting.delete(ticket);
    this.#bytes -= waiting.batch.bytes;
  }

  #dropForgotten(): void {
    const before = performance.now() - MAX_WAIT_MS;
    for (const [ticket, { askedAt }] of this.#waiting) if (askedAt < before) this.drop(ticket);
  }
}
