import type { ApplyTerms, BatchOutcome } from '../../../../flows/receive/receive-ports.ts';
import { SLICE_MS } from '../../../../runtime/slice.ts';
import { type Connection, transact } from '../database/connection.ts';
import { diskFault, errorText } from '../database/disk-fault.ts';
import type { FactWriter } from './fact-writer.ts';
import type { PointWriter } from './point-writer.ts';
import type { PointRun, ReadBatch } from './read-batch.ts';
import type { StreamPositions } from './stream-positions.ts';

export interface ReceiptParts {
  readonly connection: Connection;
  readonly positions: StreamPositions;
  readonly facts: FactWriter;
  readonly points: PointWriter;
}

interface Job {
  readonly batch: ReadBatch;
  /** The batch's points without those that are here already, run for run. */
  readonly runs: readonly PointRun[];
  readonly terms: ApplyTerms;
  readonly resolve: (outcome: BatchOutcome) => void;
  readonly reject: (error: unknown) => void;
}

/** The result of a transaction for one job; null if the job is not finished yet. */
interface Step {
  readonly job: Job;
  readonly outcome: BatchOutcome | null;
}

/** The number of records between two checks of the time budget. */
const RECORDS_PER_LOOK = 16;

/**
 * Applies batches, as many in one transaction as a slice of time holds, so that hundreds of small ones cost one sync of
 * the disk. A batch larger than a slice is applied in several slices, and each notes its progress in its own
 * transaction, so that a batch is applied exactly once even if the thread dies.
 */
export class BatchReceipts {
  readonly #parts: ReceiptParts;
  readonly #jobs: Job[] = [];
  #turn: NodeJS.Immediate | null = null;
  /** One batch of the last group can never be stored: each goes by itself until it is found. */
  #isSingly = false;

  constructor(parts: ReceiptParts) {
    this.#parts = parts;
  }

  /** Rejects if the batch can never be stored. */
  apply(batch: ReadBatch, runs: readonly PointRun[], terms: ApplyTerms): Promise<BatchOutcome> {
    return new Promise((resolve, reject) => {
      this.#jobs.push({ batch, runs, terms, resolve, reject });
      this.#schedule();
    });
  }

  #schedule(): void {
    this.#turn ??= setImmediate(() => {
      this.#turn = null;
      this.#work();
      if (this.#jobs.length > 0) this.#schedule();
    });
  }

  #work(): void {
    const { connection, facts, points } = this.#parts;
    const group = this.#isSingly ? this.#jobs.slice(0, 1) : this.#jobs;
    try {
      const steps = transact(connection, () => this.#steps(group));
      points.settle();
      this.#isSingly = false;
      for (const { job, outcome } of steps) if (outcome !== null) this.#settle(job, outcome);
    } catch (error) {
      facts.forget();
      points.forget();
      this.#failed(error, group);
    }
  }

  /** Takes as many records as fit into one slice, at least one. */
  #steps(group: readonly Job[]): readonly Step[] {
    const until = performance.now() + SLICE_MS;
    const steps: Step[] = [];
    for (const job of group) {
      steps.push({ job, outcome: this.#step(job, until) });
      if (performance.now() >= until) break;
    }
    this.#parts.points.flush();
    return steps;
  }

  #step({ batch, runs, terms }: Job, until: number): BatchOutcome | null {
    const { positions, facts } = this.#parts;
    const { records, header, digest } = batch;
    const verdict = positions.verdict(batch);
    if (verdict.kind !== 'next') return verdict;
    const begin = positions.begin(batch, terms);
    const items = records.length + runs.length;
    let next = begin;
    while (next < items) {
      const record = records[next];
      if (record === undefined) this.#addPoints(header.gatewayId, runs[next - records.length]);
      else facts.write(header, record, terms.at);
      next += 1;
      const isLook = next > records.length || (next - begin) % RECORDS_PER_LOOK === 0;
      if (isLook && performance.now() >= until) break;
    }
    if (next < items) {
      positions.notePartial(batch, next);
      return null;
    }
    const refused = [...batch.refused, ...terms.refused].sort((one, other) => one.seq - other.seq);
    positions.noteApplied(batch, terms, refused);
    const answer = { position: digest, isRepeated: false, refused };
    return { kind: 'applied', answer, records: batch.count };
  }

  #addPoints(gatewayId: string, run: PointRun | undefined): void {
    if (run === undefined) return;
    this.#parts.facts.enter(gatewayId, run.machineId);
    this.#parts.points.add(gatewayId, run);
  }

  #failed(error: unknown, group: readonly Job[]): void {
    const fault = diskFault(error);
    if (fault !== 'none') {
      // Their sender sends them again.
      for (const job of [...group]) this.#settle(job, { kind: 'disk', reason: errorText(error) });
      return;
    }
    const [first, ...others] = group;
    if (first === undefined) return;
    if (others.length > 0) {
      this.#isSingly = true;
      return;
    }
    this.#isSingly = false;
    this.#remove(first);
    first.reject(error);
  }

  #settle(job: Job, outcome: BatchOutcome): void {
    this.#remove(job);
    job.resolve(outcome);
  }

  #remove(job: Job): void {
    const place = this.#jobs.indexOf(job);
    if (place >= 0) this.#jobs.splice(place, 1);
  }
}
