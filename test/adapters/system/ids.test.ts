import { expect, it } from 'vitest';
import { newUlid } from '../../../src/adapters/system/ids.ts';
import { processorMs } from '../../rounds.ts';

it('DEV-10 ids are unique, sorted, and cheap enough for thousands of machines that fall silent at once', () => {
  const from = processorMs();
  const ids = Array.from({ length: 20_000 }, newUlid);
  expect(processorMs() - from).toBeLessThan(500);
  expect(new Set(ids).size).toBe(ids.length);
  expect([...ids].sort()).toEqual(ids);
  expect(ids.every((id) => /^[0-9A-HJKMNP-TV-Z]{26}$/.test(id))).toBe(true);
});
