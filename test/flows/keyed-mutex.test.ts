import { describe, expect, it } from 'vitest';
import { KeyedMutex } from '../../src/flows/keyed-mutex.ts';

describe('a mutex with keys', () => {
  it('runs operations on one key in order, also after one that failed, and on other keys side by side', async () => {
    const turns = new KeyedMutex('coil', 10);
    const told: string[] = [];
    const gates = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const first = turns.runExclusive('C-1', async () => {
      told.push('first begins');
      await gates[0]?.promise;
      throw new Error('failed');
    });
    const second = turns.runExclusive('C-1', async () => void told.push('second'));
    const other = turns.runExclusive('C-2', async () => void told.push('other'));
    await other;
    expect(told).toEqual(['first begins', 'other']);
    gates[0]?.resolve();
    await expect(first).rejects.toThrow('failed');
    await second;
    expect(told).toEqual(['first begins', 'other', 'second']);
  });

  it('refuses an operation while too many wait, until one is done', async () => {
    const turns = new KeyedMutex('coil', 2);
    const gate = Promise.withResolvers<void>();
    const acts = [1, 2, 3].map(() => turns.runExclusive('C-1', () => gate.promise));
    await expect(turns.runExclusive('C-1', async () => 'never')).rejects.toMatchObject({
      code: 'rate-limited',
      message: 'Too many operations on coil "C-1" at once, at most 2 are allowed: try again in a few seconds',
    });
    gate.resolve();
    await Promise.all(acts);
    expect(await turns.runExclusive('C-1', async () => 'through')).toBe('through');
  });

  it('runs an act on several keys when its turn has come for all of them, and two such acts never wait for each other', async () => {
    const turns = new KeyedMutex('profile', 10);
    const told: string[] = [];
    const gate = Promise.withResolvers<void>();
    const first = turns.runExclusive('B', () => gate.promise.then(() => void told.push('first')));
    const both = turns.runExclusiveOnAll(['A', 'B'], async () => void told.push('both'));
    const reversed = turns.runExclusiveOnAll(['B', 'A'], async () => void told.push('reversed'));
    const behind = turns.runExclusive('A', async () => void told.push('behind'));
    await turns.runExclusive('C', async () => void told.push('other'));
    gate.resolve();
    await Promise.all([first, both, reversed, behind]);
    expect(told).toEqual(['other', 'first', 'both', 'reversed', 'behind']);
    expect(await turns.runExclusiveOnAll([], async () => 'at once')).toBe('at once');
  });

  it('lets the others go on when too many wait for one of several keys', async () => {
    const turns = new KeyedMutex('profile', 0);
    const gate = Promise.withResolvers<void>();
    const held = turns.runExclusive('B', () => gate.promise);
    const next = turns.runExclusive('B', () => gate.promise).catch(() => 'refused');
    await expect(turns.runExclusiveOnAll(['A', 'B'], async () => 'never')).rejects.toMatchObject({
      code: 'rate-limited',
    });
    expect(await turns.runExclusive('A', async () => 'free')).toBe('free');
    gate.resolve();
    await Promise.all([held, next]);
  });
});
