import { createHash, randomUUID } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import type { BatchFact, BatchRecord, PointSeries, SyncBatch } from '../../src/domain/sync/batch.ts';
import type { Operation } from '../../src/domain/sync/operation.ts';
import { type Answer, type GatewayUnderTest, keyOf } from '../adapters/http/gateway-under-test.ts';

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

/** A plant whose business takes every operation, and keeps none. */
export const NO_BUSINESS = { known: async () => new Set<string>(), carryOut: async () => null };

/** A batch as it goes over the line. */
export function packed(batch: SyncBatch): SentBatch {
  const json = JSON.stringify(batch);
  const digest = createHash('sha256').update(json).digest('hex');
  return { digest, json, gzip: new Uint8Array(gzipSync(json)), batch };
}

export const AT = Date.parse('2026-03-04T08:00:00Z');
export const PRODUCT = { workOrder: 'W-1' };

let gateways = 0;
let operations = 0;

/** The calls to a central server: by other gateways, by the page and by API clients. */
export function syncCalls(gatewayNow: () => GatewayUnderTest) {
  function freshSender(): BatchSender {
    return new BatchSender(`plant-${gateways++}`, randomUUID);
  }

  function post(
    body: unknown,
    headers: Readonly<Record<string, string>> = {},
    key = keyOf('gateway'),
  ): Promise<Answer> {
    return gatewayNow().call('POST', '/api/v1/sync', body, { authorization: `ApiKey ${key}`, ...headers });
  }

  function postBatch({ gzip }: SentBatch, key?: string): Promise<Answer> {
    return post(Buffer.from(gzip), { 'content-encoding': 'gzip' }, key);
  }

  async function deliver(sender: BatchSender, key?: string): Promise<Answer> {
    const batch = sender.batch();
    if (batch === null) throw new Error('nothing waits');
    const answer = await postBatch(batch, key);
    if (answer.status === 200) sender.acknowledged(batch.digest);
    return answer;
  }

  function local(path: string): Promise<Answer> {
    return gatewayNow().as(keyOf('technician'), 'GET', `/api/local${path}`);
  }

  function business(method: string, path: string, body?: unknown): Promise<Answer> {
    return gatewayNow().as(keyOf('business'), method, `/api/v1${path}`, body);
  }

  return { freshSender, post, postBatch, deliver, local, business };
}

export function operationOf(act: Operation, at = AT): BatchFact {
  const queued = { operationId: `op-${operations++}`, at, principal: 'sam', act };
  return { kind: 'act', queued };
}

export function points(...values: readonly number[]): PointSeries {
  const at = values.map((value) => AT + value * 1_000);
  return { machineId: 'RF-01', name: 'lineSpeed', shiftDate: '2026-03-04', at, value: values };
}
