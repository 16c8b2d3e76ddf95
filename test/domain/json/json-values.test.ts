import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { jsonValuesExceed } from '../../../src/domain/json/json.ts';

function valuesIn(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 1;
  return 1 + Object.values(value).reduce((sum: number, entry) => sum + valuesIn(entry), 0);
}

describe('the number of values', () => {
  it.each([
    ['{"a":[1,2,3],"b":{"c":4}}', 7],
    ['["a,b","{[,","\\",","\\\\"]', 5],
    [`["${',[{'.repeat(100)}",7]`, 3],
  ])('D-13 of %s is %i', (json, values) => {
    expect(jsonValuesExceed(json, values)).toBe(false);
    expect(jsonValuesExceed(json, values - 1)).toBe(true);
  });

  it('D-13 is that of the parsed value, with an empty list or object counted at most twice', () => {
    fc.assert(
      fc.property(fc.json(), fc.integer({ min: 1, max: 12 }), (json, limit) => {
        const values = valuesIn(JSON.parse(json));
        const empty = json.match(/\[\]|\{\}/g)?.length ?? 0;
        if (values > limit) expect(jsonValuesExceed(json, limit)).toBe(true);
        if (values + empty <= limit) expect(jsonValuesExceed(json, limit)).toBe(false);
      }),
    );
  });

  it('D-13 is counted up to the limit, and not for text that is not JSON', () => {
    expect(jsonValuesExceed('[,'.repeat(1_000), 100)).toBe(true);
    expect(jsonValuesExceed(`"never closed ${','.repeat(1_000)}`, 100)).toBe(false);
  });
});
