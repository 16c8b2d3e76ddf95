import { afterAll, beforeAll, expect, it } from 'vitest';
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
