import { expect, it } from 'vitest';
import { SharedTurns } from '../../src/flows/shared-turns.ts';

it('lets many act side by side, one alone behind them, and those who come later behind that', async () => {
  const turns = new SharedTurns();
  const told: string[] = [];
  const gate = Promise.withResolvers<void>();
  const act = (name: string, until?: Promise<void>) => async () => {
    told.push(`${name} begins`);
    await until;
    told.push(`${name} ends`);
  };
  const done = [
    turns.shared(act('first', gate.promise)),
    turns.shared(act('second')),
    turns.alone(act('alone')),
    turns.alone(act('next alone')),
    turns.shared(act('late')),
  ];
  await done[1];
  expect(told).toEqual(['first begins', 'second begins', 'second ends']);
  gate.resolve();
  await Promise.all(done);
  expect(told.slice(3)).toEqual([
    'first ends',
    ...['alone begins', 'alone ends', 'next alone begins', 'next alone ends', 'late begins', 'late ends'],
  ]);
});

it('goes on behind acts that fail', async () => {
  const turns = new SharedTurns();
  const fail = () => Promise.reject(new Error('failed'));
  const failed = [turns.shared(fail), turns.alone(fail)];
  const through = turns.shared(async () => 'through');
  await Promise.all(failed.map((act) => expect(act).rejects.toThrow('failed')));
  expect(await through).toBe('through');
  expect(await turns.alone(async () => 'alone')).toBe('alone');
});
