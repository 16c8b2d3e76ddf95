import { describe, expect, it } from 'vitest';
import { KeyedTurns } from '../../src/flows/keyed-turns.ts';

describe('turns', () => {
  it('takes acts on one thing one behind the other, also behind one that failed, and on others side by side', async () => {
    const turns = new KeyedTurns('coil', 10);
    const told: string[] = [];
    const gates = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const first = turns.inTurn('C-1', async () => {
      told.push('first begins');
      await gates[0]?.promise;
      throw new Error('failed');
    });
    const second = turns.inTurn('C-1', async () => void told.push('second'));
    const other = turns.inTurn('C-2', async () => void told.push('other'));
    await other;
    expect(told).toEqual(['first begins', 'other']);
    gates[0]?.resolve();
    await expect(first).rejects.toThrow('failed');
    await second;
    expect(told).toEqual(['first begins', 'other', 'second']);
  });

  it('refuses who would wait behind too many, until one is through', async () => {
    const turns = new KeyedTurns('coil', 2);
    const gate = Promise.withResolvers<void>();
    const acts = [1, 2, 3].map(() => turns.inTurn('C-1', () => gate.promise));
    await expect(turns.inTurn('C-1', async () => 'never')).rejects.toMatchObject({
      code: 'rate-limited',
      message: 'more than 2 operations wait for coil "C-1": try again',
    });
    gate.resolve();
    await Promise.all(acts);
    expect(await turns.inTurn('C-1', async () => 'through')).toBe('through');
  });

  it('takes an act on several things when its turn has come for all of them, and no two such acts wait for each other', async () => {
    const turns = new KeyedTurns('profile', 10);
    const told: string[] = [];
    const gate = Promise.withResolvers<void>();
    const first = turns.inTurn('B', () => gate.promise.then(() => void told.push('first')));
    const both = turns.inTurns(['A', 'B'], async () => void told.push('both'));
    const reversed = turns.inTurns(['B', 'A'], async () => void told.push('reversed'));
    const behind = turns.inTurn('A', async () => void told.push('behind'));
    await turns.inTurn('C', async () => void told.push('other'));
    gate.resolve();
    await Promise.all([first, both, reversed, behind]);
    expect(told).toEqual(['other', 'first', 'both', 'reversed', 'behind']);
    expect(await turns.inTurns([], async () => 'at once')).toBe('at once');
  });

  it('lets everybody on when one of several things is waited for by too many', async () => {
    const turns = new KeyedTurns('profile', 0);
    const gate = Promise.withResolvers<void>();
    const held = turns.inTurn('B', () => gate.promise);
    const next = turns.inTurn('B', () => gate.promise).catch(() => 'refused');
    await expect(turns.inTurns(['A', 'B'], async () => 'never')).rejects.toMatchObject({ code: 'rate-limited' });
    expect(await turns.inTurn('A', async () => 'free')).toBe('free');
    gate.resolve();
    await Promise.all([held, next]);
  });
});
