import type { PointRun, ReadBatch } from '../../adapters/store/thread/received/read-batch.ts';
import type { ApplyTerms, BatchOutcome, BatchVerdict } from '../../flows/receive/receive-ports.ts';
import type { Postgres } from '../postgres/postgres.ts';
import type { FactWriter } from './fact-writer.ts';
import type { PointWriter } from './point-writer.ts';
import type { StreamPositions } from './stream-positions.ts';

export interface ReceiptParts {
  readonly postgres: Postgres;
  readonly positions: StreamPositions;
  readonly facts: FactWriter;
  readonly points: PointWriter;
}

/** Applies batches, each in one transaction with the position of its stream, so that it is applied exactly once. */
export class BatchReceipts {
  readonly #parts: ReceiptParts;

  constructor(parts: ReceiptParts) {
    this.#parts = parts;
  }

  async judge(batch: ReadBatch): Promise<BatchVerdict> {
    const { positions } = this.#parts;
    return positions.verdict(batch, await positions.standing(batch.header));
  }

  async newestPointOfOthers({ header }: ReadBatch): Promise<number | null> {
    return (await this.#parts.positions.standing(header)).newestPointOfOthers;
  }

  /** Joins the transaction of the gateway's turn, or takes the turn. */
  apply(batch: ReadBatch, runs: readonly PointRun[], terms: ApplyTerms): Promise<BatchOutcome> {
    const { postgres } = this.#parts;
    return postgres.transact(async () => {
      await postgres.lock('gateway', batch.header.gatewayId);
      return this.#applied(batch, runs, terms);
    });
  }

  async #applied(batch: ReadBatch, runs: readonly PointRun[], terms: ApplyTerms): Promise<BatchOutcome> {
    const { positions, facts, points } = this.#parts;
    const { header, records, digest, count } = batch;
    const standing = await positions.standing(header);
    const verdict = await positions.verdict(batch, standing);
    if (verdict.kind !== 'next') return verdict;
    await positions.begin(batch, terms, standing);
    await facts.write(header, records, standing, new Set(runs.map(({ machineId }) => machineId)));
    if (runs.length > 0) await points.add(header.gatewayId, runs);
    const refused = [...batch.refused, ...terms.refused].sort((one, other) => one.seq - other.seq);
    await positions.noteApplied(batch, terms, refused);
    return { kind: 'applied', answer: { position: digest, isRepeated: false, refused }, records: count };
  }
}
