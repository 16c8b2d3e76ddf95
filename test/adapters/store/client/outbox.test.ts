import { expect, it, vi } from 'vitest';
import { Outbox } from '../../../../src/adapters/store/client/outbox.ts';
import type { Batch } from '../../../../src/adapters/store/protocol.ts';
import { createLog } from '../../../../src/adapters/system/log.ts';
import { knownMachine } from '../../../flows/floor-under-test.ts';

function outboxUnderTest() {
  const posted: number[] = [];
  const outbox = new Outbox({
    maxPendingBytes: 1_000_000,
    monotonicMs: () => 0,
    wallMs: () => 0,
    log: createLog('silent', {}, false),
    post: ({ number }: Batch) => void posted.push(number),
  });
  return { outbox, posted };
}

it('VAR-04 a batch that is handed over while a thread dies goes to the next thread once, even if a part of it is on disk', async () => {
  const { outbox, posted } = outboxUnderTest();
  const machineId = knownMachine('RF-01');
  const settled: number[] = [];
  const add = (value: number) => {
    const point = { machineId, name: 'speed', at: value, shiftDate: '2026-03-02', value };
    outbox.addAwaited([{ kind: 'variables', points: [point], receipt: null }], {
      resolve: () => void settled.push(value),
      reject: (error) => {
        throw error;
      },
    });
  };
  outbox.resend(0);
  add(1);
  await vi.waitFor(() => expect(posted).toEqual([1]));
  outbox.disconnect();
  add(2);
  outbox.resend(1);
  await vi.waitFor(() => expect(posted).toEqual([1, 2]));
  outbox.applied(2, []);
  expect(settled).toEqual([1, 2]);
});
