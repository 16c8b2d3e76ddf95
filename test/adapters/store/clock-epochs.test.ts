import path from 'node:path';
import { expect, it } from 'vitest';
import { bootId } from '../../../src/adapters/store/thread/clock-epochs.ts';

const HERE = import.meta.dirname;

it('D-04 runs on one boot have the same boot id', () => {
  expect(bootId('run 1')).toBe(bootId('run 2'));
});

it('D-04 each run counts as a boot on a system without boot ids', () => {
  expect(bootId('run 1', path.join(HERE, 'missing'))).toBe('run 1');
});

it('D-04 a boot id that cannot be read is a fault, not another boot', () => {
  // A directory cannot be read as a file.
  expect(() => bootId('run 1', HERE)).toThrow('EISDIR');
});
