import { describe, expect, it } from 'vitest';
import { WorkQueue } from '../../src/domain/work-queue.ts';

const refuse = () => new Error('too many');

describe('WorkQueue', () => {
  it('runs a few at a time, in the order they came', async () => {
    const queue = new WorkQueue(2, 100, refuse);
    const started: number[] = [];
    let running = 0;
    let most = 0;
    const work = async (place: number) => {
      started.push(place);
      running++;
      most = Math.max(most, running);
      await new Promise((resolve) => setTimeout(resolve, place % 3));
      running--;
      return place;
    };
    const places = Array.from({ length: 20 }, (_, place) => place);
    expect(await Promise.all(places.map((place) => queue.run(() => work(place))))).toEqual(places);
    expect([most, started]).toEqual([2, places]);
  });

  it('goes on after work that failed, and refuses work above its limit', async () => {
    const queue = new WorkQueue(1, 1, refuse);
    const failing = queue.run(() => Promise.reject(new Error('broken')));
    const waiting = queue.run(() => Promise.resolve('done'));
    const refused = queue.run(() => Promise.resolve('never'));
    await expect(refused).rejects.toThrow('too many');
    await expect(failing).rejects.toThrow('broken');
    expect(await waiting).toBe('done');
    expect(await queue.run(() => Promise.resolve('again'))).toBe('again');
  });

  it('runs one job at a time without limits, also after one that failed and that nobody waits for', async () => {
    const queue = new WorkQueue();
    const told: string[] = [];
    const gate = Promise.withResolvers<void>();
    const first = queue.run(async () => {
      told.push('first begins');
      await gate.promise;
      throw new Error('failed');
    });
    void first.catch(() => told.push('first fails'));
    const second = queue.run(async () => told.push('second'));
    expect([queue.isIdle, told]).toEqual([false, ['first begins']]);
    gate.resolve();
    await second;
    expect(queue.isIdle).toBe(true);
    expect(told.toSorted()).toEqual(['first begins', 'first fails', 'second']);
  });
});
