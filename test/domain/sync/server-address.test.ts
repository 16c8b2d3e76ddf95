import { expect, it } from 'vitest';
import { serverOf } from '../../../src/domain/sync/server-address.ts';

it.each([
  ['https://central/', 'central'],
  ['https://central:8443', 'central:8443'],
  ['http://central/line-a', 'central/line-a'],
  ['http://central/line-a//', 'central/line-a'],
])('D-30 servers behind one host are told apart only by their path: %s', (url, expected) => {
  expect(serverOf(url)).toBe(expected);
});
