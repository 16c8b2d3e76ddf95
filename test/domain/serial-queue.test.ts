import { expect, it } from 'vitest';
import { SerialQueue } from '../../src/domain/serial-queue.ts';

it('runs tasks one after the other in the order of their calls, also after one that failed', async () => {
  const queue = new SerialQueue();
  const told: string[] = [];
  const gate = Promise.withResolvers<void>();
  const first = queue.run(async () => {
    told.push('first begins');
    await gate.promise;
    throw new Error('failed');
  });
  const second = queue.run(async () => told.push('second'));
  await Promise.resolve();
  expect(told).toEqual(['first begins']);
  gate.resolve();
  await expect(first).rejects.toThrow('failed');
  expect(await second).toBe(2);
  expect(told).toEqual(['first begins', 'second']);
});

it('runs the next task even if nobody waits for one that failed', async () => {
  const queue = new SerialQueue();
  void queue.run(() => Promise.reject(new Error('failed')));
  expect(await queue.run(async () => 'through')).toBe('through');
});
