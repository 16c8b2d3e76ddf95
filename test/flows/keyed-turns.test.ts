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
});
