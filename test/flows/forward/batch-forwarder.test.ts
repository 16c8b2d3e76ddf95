import { createHash } from 'node:crypto';
import { gunzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { machineId } from '../../../src/domain/machine/machine-names.ts';
import type { ConnectionEvent } from '../../../src/domain/sync/connection-states.ts';
import { BatchForwarder } from '../../../src/flows/forward/batch-forwarder.ts';
import type { CentralAnswer, CentralRequest, CentralServer } from '../../../src/flows/forward/upstream-ports.ts';
import { QueueInMemory } from '../lanes-under-test.ts';

let queue: QueueInMemory;
let asked: CentralRequest[];
let answers: ((digest: string) => CentralAnswer)[];
let events: ConnectionEvent[];
let incidents: string[];
let refusals: number[];
let forwarder: BatchForwarder;
let monotonicMs: number;
let waitsMs: number[];

beforeEach(() => {
  queue = new QueueInMemory();
  asked = [];
  answers = [];
  events = [];
  incidents = [];
  refusals = [];
  monotonicMs = 0;
  waitsMs = [];
  forwarder = new BatchForwarder({
    store: queue,
    server: { ask, close: async () => undefined } satisfies CentralServer,
    clock: { now: () => ({ monotonicMs, wallMs: Date.now() }) },
    after: (delayMs, act) => {
      waitsMs.push(delayMs);
      const timer = setTimeout(act, 5);
      return () => clearTimeout(timer);
    },
    newId: () => 'stream-2',
    gatewayId: 'gate 1',
    incidents: { report: ({ detail }) => incidents.push(detail) },
    onConnection: (event) => {
      events.push(event);
      if (!['acknowledged', 'nothingWaits', 'offered'].includes(event.type)) forwarder.pause();
    },
    onSent: () => undefined,
    onRefused: (count) => refusals.push(count),
  });
});

afterEach(async () => {
  forwarder.pause();
  await forwarder.settled();
});

async function ask(request: CentralRequest): Promise<CentralAnswer> {
  asked.push(request);
  return (answers.shift() ?? acknowledged)(digestOf(request));
}

function digestOf({ body }: CentralRequest): string {
  if (body === undefined) return '';
  return createHash('sha256')
    .update(gunzipSync(body as Uint8Array))
    .digest('hex');
}

function answered(status: number, body: object, isWhole = true): CentralAnswer {
  return {
    kind: 'answered',
    status,
    headers: {},
    bytes: Buffer.from(JSON.stringify(body)),
    extent: isWhole ? 'whole' : 'cutOff',
  };
}

function page(status: number): CentralAnswer {
  return { kind: 'answered', status, headers: {}, bytes: Buffer.from('<html>Conflict</html>'), extent: 'whole' };
}

function acknowledged(digest: string): CentralAnswer {
  return answered(200, { position: digest, isRepeated: false, refused: [] });
}

const NOT_FOLLOWING = 'previous: found a1, expected b2; begin a new stream';

function queueStatuses(count: number): void {
  const id = machineId('RF-01');
  if (id === null) throw new Error('no machine id');
  for (let at = 1; at <= count; at += 1) queue.status({ machineId: id, at, why: 'change', json: '{}' });
}

describe('batches', () => {
  it('UP-02 D-27 are sent as gzip under their digest, one after the other, with a pause as long as each took', async () => {
    queueStatuses(3);
    answers.push((digest) => {
      queueStatuses(2);
      return acknowledged(digest);
    });
    forwarder.start();
    await vi.waitFor(() => expect(queue.rows).toEqual([]));
    expect(asked.map(({ method, path, isGzip }) => ({ method, path, isGzip }))).toEqual([
      { method: 'POST', path: '/api/v1/sync', isGzip: true },
      { method: 'POST', path: '/api/v1/sync', isGzip: true },
    ]);
    expect(asked.map(({ operationId }) => operationId)).toEqual(asked.map(digestOf));
    await vi.waitFor(() => expect(events.length).toBeGreaterThan(2));
    expect(new Set(events.map(({ type }) => type))).toEqual(new Set(['acknowledged', 'nothingWaits']));
  });

  it.each([
    [40, 40],
    [3_000, 250],
  ])('UP-02 that took %i ms are followed by a pause of %i ms, even if the queue is nudged', async (tookMs, restMs) => {
    queueStatuses(1);
    answers.push((digest) => {
      monotonicMs += tookMs;
      forwarder.wake();
      return acknowledged(digest);
    });
    forwarder.start();
    await vi.waitFor(() => expect(waitsMs.length).toBeGreaterThan(1));
    expect(waitsMs[0]).toBe(restMs);
  });

  const LOST: readonly (readonly [string, (digest: string) => CentralAnswer])[] = [
    ['no answer', () => ({ kind: 'unanswered', detail: 'other side closed' })],
    ['nobody there', () => ({ kind: 'unsent', detail: 'ECONNREFUSED' })],
    ['half an answer', () => answered(200, {})],
    ['the answer to another batch', () => acknowledged('another')],
    [
      'an answer with more refusals than a batch has records',
      (digest) =>
        answered(200, {
          position: digest,
          refused: Array.from({ length: 5_000 }, (_, seq) => ({ seq, reason: 'no' })),
        }),
    ],
    ['a fault', () => answered(500, { errors: ['no'] })],
    ['a lock', () => answered(429, {})],
    ['a conflict of another program', () => answered(409, { message: 'a request with this key is in progress' })],
    ['a conflict of another field', () => answered(409, { errors: ['records: previous: found 1'] })],
    ['a conflict in a page', () => page(409)],
  ];

  it.each(LOST)('UP-02 D-27 D-51 are sent again with the same bytes after %s', async (_, lost) => {
    queueStatuses(2);
    answers.push(lost);
    forwarder.start();
    await vi.waitFor(() => expect(events.at(-1)?.type).toBe('failed'));
    queueStatuses(1);
    forwarder.start();
    await vi.waitFor(() => expect(queue.rows).toEqual([]));
    expect(Buffer.compare(asked[0]?.body as Uint8Array, asked[1]?.body as Uint8Array)).toBe(0);
    expect(queue.acknowledged).toHaveLength(2);
    expect(queue.stream).toBe('stream-1');
  });

  it('D-27 begin a new stream if the server knows another past, and an incident names the copy', async () => {
    queueStatuses(2);
    answers.push(() => answered(409, { errors: [NOT_FOLLOWING] }));
    forwarder.start();
    await vi.waitFor(() => expect(queue.rows).toEqual([]));
    expect(queue.stream).toBe('stream-2');
    expect(JSON.parse(gunzipSync(asked[1]?.body as Uint8Array).toString())).toMatchObject({
      stream: 'stream-2',
      previous: '',
    });
    expect(incidents.join()).toMatch(/restored from a copy, or a second gateway/);
  });

  it('UP-02 are not sent in a loop if the server says of every stream that it does not follow', async () => {
    queueStatuses(1);
    answers.push(...Array.from({ length: 3 }, () => () => answered(409, { errors: [NOT_FOLLOWING] })));
    forwarder.start();
    await vi.waitFor(() =>
      expect(events).toEqual([{ type: 'failed', detail: `HTTP 409 to a new stream as well: ${NOT_FOLLOWING}` }]),
    );
    expect(asked).toHaveLength(2);
    forwarder.start();
    await vi.waitFor(() => expect(events).toHaveLength(2));
    forwarder.start();
    await vi.waitFor(() => expect(queue.rows).toEqual([]));
    expect(asked).toHaveLength(4);
  });

  it('D-27 are replaced by a sign of life every 5 s if nothing waits, and its answer shows the kind of server', async () => {
    queueStatuses(1);
    forwarder.start();
    await vi.waitFor(() => expect(events.map(({ type }) => type)).toContain('nothingWaits'));
    await vi.waitFor(() => expect(waitsMs.filter((wait) => wait === 1_000).length).toBeGreaterThan(3));
    expect(asked).toHaveLength(1);
    answers.push(() => answered(200, { version: 1, maxBatchBytes: 1 }));
    monotonicMs += 5_000;
    await vi.waitFor(() => expect(asked).toHaveLength(2));
    expect(asked[1]).toEqual({ method: 'GET', path: '/api/v1/sync?gatewayId=gate+1&stream=stream-1' });
    await vi.waitFor(() => expect(events.map(({ type }) => type)).toContain('offered'));
    answers.push(() => ({ kind: 'unanswered', detail: 'other side closed' }));
    monotonicMs += 5_000;
    await vi.waitFor(() => expect(events.at(-1)).toEqual({ type: 'failed', detail: 'other side closed' }));
  });

  it('D-27 are sent again with the same bytes by a refused gateway, and an incident has the server’s words', async () => {
    queueStatuses(1);
    answers.push(() => answered(503, { errors: ['held by stream x'] }));
    answers.push(() => answered(403, { errors: ['give its gateway a gatewayId of its own'] }));
    forwarder.start();
    await vi.waitFor(() => expect(events.at(-1)).toMatchObject({ type: 'failed' }));
    forwarder.start();
    await vi.waitFor(() => expect(events.at(-1)).toMatchObject({ type: 'unauthorized' }));
    expect(incidents.join()).toMatch(/HTTP 403.*a gatewayId of its own/);
    forwarder.start();
    await vi.waitFor(() => expect(queue.rows).toEqual([]));
    expect(new Set(asked.filter(({ method }) => method === 'POST').map(digestOf)).size).toBe(1);
  });

  it('UP-05 D-27 that are refused for their size come smaller, and an incident says what to allow', async () => {
    queueStatuses(3);
    queue.largestBatch = 2;
    answers.push(() => answered(413, {}));
    forwarder.start();
    await vi.waitFor(() => expect(queue.rows).toEqual([]));
    expect(queue.acknowledged).toHaveLength(2);
    expect(incidents).toEqual([expect.stringMatching(/HTTP 413: .*a proxy before it.*Allow bodies of 9 MiB/)]);
    expect(events.map(({ type }) => type)).not.toContain('failed');
    expect(refusals).toEqual([1]);
  });

  it('UP-05 D-27 that are refused for their size and cannot be smaller are not sent in a loop', async () => {
    queueStatuses(1);
    answers.push(...Array.from({ length: 2 }, () => () => answered(413, {})));
    forwarder.start();
    await vi.waitFor(() =>
      expect(events).toMatchObject([{ type: 'failed', detail: expect.stringMatching(/^HTTP 413/) }]),
    );
    expect(asked).toHaveLength(2);
    forwarder.start();
    await vi.waitFor(() => expect(queue.rows).toEqual([]));
  });

  it('UP-05 have their refused records handed on with the reasons', async () => {
    queueStatuses(2);
    const written = vi.spyOn(queue, 'write');
    const refused = [{ seq: 1, reason: 'no such task' }];
    answers.push((digest) => answered(200, { position: digest, isRepeated: false, refused }));
    forwarder.start();
    await vi.waitFor(() => expect(refusals).toEqual([1]));
    expect(written.mock.calls[0]?.[0]).toMatchObject([{ kind: 'batchAcknowledged', refused }]);
  });

  it.each([401, 403])('UP-02 answered with %i mean that the key is refused', async (status) => {
    queueStatuses(1);
    answers.push(() => answered(status, { errors: ['no'] }));
    forwarder.start();
    await vi.waitFor(() => expect(events).toEqual([{ type: 'unauthorized', detail: `HTTP ${status}: no` }]));
    expect(queue.rows).toHaveLength(1);
  });
});
