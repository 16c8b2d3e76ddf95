import { createHash } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import type { BatchFact, BatchRecord, PointSeries, SyncBatch } from '../../src/domain/sync/batch.ts';

/** A batch on its way, with its digest. */
export interface SentBatch {
  readonly digest: string;
  readonly json: string;
  readonly gzip: Uint8Array<ArrayBuffer>;
  readonly batch: SyncBatch;
}

interface State {
  readonly directory: string;
  readonly stream: string;
  readonly previous: string;
  readonly nextSeq: number;
  readonly records: readonly BatchRecord[];
  readonly points: readonly PointSeries[];
  readonly open: SentBatch | null;
}

/**
 * A gateway's queue in memory, by the rules of batch.ts: waiting records go out as one batch, byte for byte the same
 * until it is acknowledged, and a central server with another past gets a new stream.
 */
export class BatchSender {
  readonly gatewayId: string;
  readonly #newStream: () => string;
  #state: State;

  constructor(gatewayId: string, newStream: () => string, state?: State) {
    this.gatewayId = gatewayId;
    this.#newStream = newStream;
    const made = () => ({ directory: newStream(), stream: newStream() });
    this.#state = state ?? { ...made(), previous: '', nextSeq: 1, records: [], points: [], open: null };
  }

  get stream(): string {
    return this.#state.stream;
  }

  /** A copy of its present data directory. */
  copy(): BatchSender {
    return new BatchSender(this.gatewayId, this.#newStream, this.#state);
  }

  queue(facts: readonly BatchFact[], points: readonly PointSeries[] = []): this {
    const { nextSeq, records } = this.#state;
    const added = facts.map((fact, place) => ({ seq: nextSeq + place, ...fact }));
    this.#state = {
      ...this.#state,
      nextSeq: nextSeq + facts.length,
      records: [...records, ...added],
      points: [...this.#state.points, ...points],
    };
    return this;
  }

  /** The open batch, or a new one of the waiting records; null if none waits. */
  batch(): SentBatch | null {
    const { open, records, points, directory, stream, previous } = this.#state;
    if (open !== null) return open;
    if (records.length === 0 && points.length === 0) return null;
    const made = packed({ version: 1, gatewayId: this.gatewayId, directory, stream, previous, records, points });
    this.#state = { ...this.#state, open: made };
    return made;
  }

  acknowledged(digest: string): void {
    const { open, records, points } = this.#state;
    if (open?.digest !== digest) return;
    this.#state = {
      ...this.#state,
      previous: digest,
      open: null,
      records: records.slice(open.batch.records.length),
      points: points.slice(open.batch.points.length),
    };
  }

  restartStream(): void {
    this.#state = { ...this.#state, stream: this.#newStream(), previous: '', open: null };
  }
}

export const EMPTY_BATCH: SyncBatch = {
  version: 1,
  gatewayId: 'plant1',
  stream: 'one',
  previous: '',
  records: [],
  points: [],
};

/** A batch as it goes over the line. */
export function packed(batch: SyncBatch): SentBatch {
  const json = JSON.stringify(batch);
  const digest = createHash('sha256').update(json).digest('hex');
  return { digest, json, gzip: new Uint8Array(gzipSync(json)), batch };
}
