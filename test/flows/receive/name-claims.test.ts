import { beforeEach, expect, it } from 'vitest';
import type { NameRecord } from '../../../src/domain/sync/name-claim.ts';
import { KeyedMutex } from '../../../src/flows/keyed-mutex.ts';
import { BatchReceiver, type BatchReceiverOptions } from '../../../src/flows/receive/batch-receiver.ts';
import type { BatchOutcome, GatewayTurns } from '../../../src/flows/receive/receive-ports.ts';
import { NO_BUSINESS } from '../../fakes/batch-sender.ts';

const GATEWAY_ID = 'plant-1';
const APPLIED: BatchOutcome = {
  kind: 'applied',
  answer: { position: 'a', isRepeated: false, refused: [] },
  records: 1,
};

let nowMs: number;
let holder: string | null;
let written: NameRecord[];
let outcome: (stream: string) => Promise<BatchOutcome>;
let receiver: BatchReceiver;
let isBusy: boolean;
let isRepeated: boolean;

beforeEach(() => {
  nowMs = 0;
  holder = 'original';
  written = [];
  outcome = async () => APPLIED;
  isBusy = false;
  isRepeated = false;
  receiver = startReceiver();
});

/** A receiver whose store accepts every batch as the next one, so that only the name decides. */
function startReceiver(): BatchReceiver {
  const streams: string[] = [];
  const store: BatchReceiverOptions['store'] = {
    readBatch: async ({ bytes }) => {
      if (isBusy) return { kind: 'refused', fault: 'busy', reason: 'come again' };
      const stream = Buffer.from(bytes).toString();
      return { kind: 'read', ticket: streams.push(stream) - 1, gatewayId: GATEWAY_ID, stream };
    },
    judgeBatch: async () => {
      if (isRepeated) return { kind: 'repeated', answer: { position: 'a', isRepeated: true, refused: [] } };
      const owner = holder === null ? null : 'sam';
      return { kind: 'next', standing: { holder, owner, plantId: 'default', isRefused: false } };
    },
    batchOperations: async () => ({ kind: 'operations', operations: [], isEnd: true }),
    applyBatch: (ticket) => outcome(streams[ticket] ?? ''),
    dropBatch: async () => undefined,
    write: async (records: readonly unknown[]) => {
      written.push(...(records as readonly NameRecord[]));
      for (const record of written) if (record.kind === 'nameTaken') holder = record.stream;
    },
  };
  const clock = { now: () => ({ monotonicMs: nowMs, wallMs: nowMs }) };
  const turns: GatewayTurns = new KeyedMutex('gateway', 8);
  return new BatchReceiver({
    store,
    operationsIn: () => NO_BUSINESS,
    incidents: { report: () => undefined },
    clock,
    turns,
    exchange: null,
  });
}

/** The outcome of a batch of the stream. */
async function send(stream: string): Promise<string> {
  try {
    await receiver.receive(
      { bytes: new Uint8Array(Buffer.from(stream)), isGzip: false },
      { principal: 'sam', plantId: 'default' },
    );
    return 'taken';
  } catch (error) {
    return error instanceof Error && 'code' in error ? String(error.code) : String(error);
  }
}

it('D-27 a name is on disk before anything of its stream is carried out', async () => {
  holder = null;
  let wasWritten = false;
  outcome = async () => {
    wasWritten = written.length > 0;
    return APPLIED;
  };
  expect(await send('first')).toBe('taken');
  expect(wasWritten).toBe(true);
  const first = { gatewayId: GATEWAY_ID, stream: 'first', principal: 'sam', plantId: 'default' };
  expect(written).toEqual([{ kind: 'nameTaken', ...first }]);
});

it('D-27 after a start every holder gets the time to come back from a back-off before another stream is taken', async () => {
  nowMs = 29_000;
  expect(await send('restored')).toBe('held');
  expect(await send('original')).toBe('taken');
  receiver = startReceiver();
  nowMs += 29_999;
  expect(await send('restored')).toBe('held');
  nowMs += 1;
  expect(await send('restored')).toBe('taken');
});

it.each([
  ['the disk took nothing', async (): Promise<BatchOutcome> => ({ kind: 'disk', reason: 'full' })],
  ['it failed', () => Promise.reject(new Error('a fault'))],
])('D-27 a holder that was put off because %s has the time to come back', async (_, fault) => {
  expect(await send('original')).toBe('taken');
  outcome = (stream) => (stream === 'original' ? fault() : Promise.resolve(APPLIED));
  expect(await send('original')).not.toBe('taken');
  nowMs = 29_999;
  expect(await send('copy')).toBe('held');
  nowMs = 30_000;
  expect(await send('copy')).toBe('taken');
});

it('D-27 a holder that is asked to come back later does not count as gone', async () => {
  expect(await send('original')).toBe('taken');
  nowMs = 100_000;
  isBusy = true;
  expect(await send('original')).toBe('rate-limited');
  isBusy = false;
  nowMs += 29_999;
  expect(await send('copy')).toBe('held');
  nowMs += 1;
  expect(await send('copy')).toBe('taken');
});

it('D-27 a holder that repeats a batch counts as heard', async () => {
  expect(await send('original')).toBe('taken');
  nowMs = 100_000;
  isRepeated = true;
  expect(await send('original')).toBe('taken');
  isRepeated = false;
  nowMs += 14_999;
  expect(await send('copy')).toBe('held');
});

it('D-27 a stream that was taken after a wait waits again when it comes back after another', async () => {
  nowMs = 100_000;
  expect(await send('original')).toBe('taken');
  nowMs += 10_000;
  expect(await send('standby')).toBe('held');
  nowMs += 5_000;
  expect(await send('standby')).toBe('taken');
  nowMs += 20_000;
  expect(await send('original')).toBe('taken');
  nowMs += 5_000;
  expect(await send('standby')).toBe('held');
});

it('D-27 a grant waits until the batch under way is finished', async () => {
  const { promise, resolve } = Promise.withResolvers<BatchOutcome>();
  outcome = () => promise;
  const batch = send('original');
  await new Promise((waited) => setTimeout(waited, 20));
  receiver.heard({ gatewayId: GATEWAY_ID, stream: 'copy', principal: 'sam' });
  const granted = receiver.grant({ gatewayId: GATEWAY_ID, stream: 'copy', principal: 'sam' });
  await new Promise((waited) => setTimeout(waited, 20));
  expect(written).toEqual([]);
  resolve(APPLIED);
  await Promise.all([batch, granted]);
  expect(written).toMatchObject([{ kind: 'nameGranted', stream: 'copy' }]);
});

it('D-27 a holder counts as heard as long as its batch is under way', async () => {
  expect(await send('original')).toBe('taken');
  outcome = async (stream) => {
    if (stream === 'original') nowMs += 40_000;
    return APPLIED;
  };
  const [slow, beside] = await Promise.all([send('original'), send('copy')]);
  expect([slow, beside]).toEqual(['taken', 'held']);
});

it('D-27 the newest 10,000 streams are remembered: a forgotten one gets the time to come back, as after a start', async () => {
  nowMs = 100_000;
  expect(await send('original')).toBe('taken');
  for (let count = 0; count < 9_998; count += 1) {
    receiver.heard({ gatewayId: GATEWAY_ID, stream: `other-${count}`, principal: 'sam' });
  }
  expect(await send('copy')).toBe('held');
  receiver.heard({ gatewayId: GATEWAY_ID, stream: 'one more', principal: 'sam' });
  expect(await send('copy')).toBe('taken');
});
