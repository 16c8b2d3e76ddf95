import { randomUUID } from 'node:crypto';
import type { BatchFact, PointSeries } from '../../../src/domain/sync/batch.ts';
import type { Operation } from '../../../src/domain/sync/operation.ts';
import { BatchSender, type SentBatch } from '../../fakes/batch-sender.ts';
import { type Answer, type GatewayUnderTest, keyOf } from './gateway-under-test.ts';

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
