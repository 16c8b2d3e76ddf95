import { afterAll, beforeAll, expect, it } from 'vitest';
import { RawClient } from '../adapters/broker/raw-client.ts';
import { MISTAKES } from './mistakes.ts';
import { type Json, Program } from './program.ts';

/** Generous on a busy machine; the promise is 2 s. */
const TOLD_WITHIN_MS = 5_000;

let program: Program;
beforeAll(async () => {
  program = await Program.start();
}, 30_000);
afterAll(async () => {
  await program.stop();
  program.cleanUp();
});

interface Told {
  readonly detail: string;
  readonly lastAt: string;
  readonly address: string | null;
}

async function toldOf(kind: string): Promise<readonly Told[]> {
  const { body } = await program.api('GET', '/diagnostics');
  return (body[kind] as readonly { readonly faults: readonly Told[] }[]).flatMap(({ faults }) => faults);
}

async function messages(): Promise<Json> {
  return (await program.api('GET', '/machines/RF-01/messages')).body.messages;
}

it('D-36 the table has 30 mistakes or more', () => {
  expect(MISTAKES.length).toBeGreaterThanOrEqual(30);
});

it.each(MISTAKES)('D-35, D-36 $name is told with its cure', async ({ make, kind, words, message }) => {
  const startedAt = new Date(Date.now() - 1).toISOString();
  await make(program);
  await expect
    .poll(async () => (await toldOf(kind)).filter(({ lastAt }) => lastAt >= startedAt).map(({ detail }) => detail), {
      timeout: TOLD_WITHIN_MS,
    })
    .toContainEqual(expect.stringContaining(words));
  if (message === undefined) return;
  const reasons = (await messages()).map(({ reason }: { readonly reason: string | null }) => reason);
  expect(reasons).toContainEqual(expect.stringContaining(message));
});

it('D-36 /clients names who is connected, /metrics counts unmatched topics', async () => {
  const client = await RawClient.connected(program.mqttPort, 'some-reader', { keepalive: 30 });
  await client.subscribe(['plant1/rolformer-1/#', 1]);
  const { body } = await program.api('GET', '/clients');
  expect(body).toContainEqual(
    expect.objectContaining({
      clientId: 'some-reader',
      address: '127.0.0.1',
      keepaliveSeconds: 30,
      isMachine: false,
      subscriptions: [{ filter: 'plant1/rolformer-1/#', qos: 1 }],
      bytesBehind: 0,
    }),
  );
  client.publish('plant1/rolformer-1/status', '{}', 1);
  await client.next('puback');
  expect((await client.next('publish')).topic).toBe('plant1/rolformer-1/status');
  expect((await program.get('/metrics')).text).toMatch(/unmatchedTopic"\} [1-9]/);
  client.end();
});
