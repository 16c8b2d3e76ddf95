import { expect, it } from 'vitest';
import { ReadWriteLock } from '../../src/flows/read-write-lock.ts';

it('a lock lets readers run side by side, a writer alone after them, and later readers after the writer', async () => {
  const lock = new ReadWriteLock();
  const told: string[] = [];
  const gate = Promise.withResolvers<void>();
  const act = (name: string, until?: Promise<void>) => async () => {
    told.push(`${name} begins`);
    await until;
    told.push(`${name} ends`);
  };
  const done = [
    lock.read(act('first', gate.promise)),
    lock.read(act('second')),
    lock.write(act('alone')),
    lock.write(act('next alone')),
    lock.read(act('late')),
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

it('a lock goes on after operations that fail', async () => {
  const lock = new ReadWriteLock();
  const fail = () => Promise.reject(new Error('failed'));
  const failed = [lock.read(fail), lock.write(fail)];
  const through = lock.read(async () => 'through');
  await Promise.all(failed.map((act) => expect(act).rejects.toThrow('failed')));
  expect(await through).toBe('through');
  expect(await lock.write(async () => 'alone')).toBe('alone');
});
