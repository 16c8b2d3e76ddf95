import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { longJson } from '../../../../src/adapters/http/answers/long-json.ts';

const LONG = Array.from({ length: 51 }, (_, id) => ({ id }));

describe('the JSON of an answer', () => {
  it.each([
    ['a list of 51 entries', LONG, true],
    ['an object with such a list', { next: null, entries: LONG }, true],
    ['a list whose entry has such a list', [{ id: 1, entries: LONG }], true],
    ['a list of 50 entries', LONG.slice(1), false],
    ['an object without a long list', { entries: LONG.slice(1) }, false],
  ])('is written in slices if it is long: %s', async (_, body, isLong) => {
    expect((await longJson(body)) !== null).toBe(isLong);
  });

  it('is the same in slices as at once', async () => {
    const field = fc.oneof(
      fc.jsonValue(),
      fc.constant(undefined),
      fc.array(fc.jsonValue(), { minLength: 51, maxLength: 60 }),
    );
    await fc.assert(
      fc.asyncProperty(fc.dictionary(fc.string(), field), async (fields) => {
        for (const body of [{ ...fields, list: LONG }, [...LONG, fields], [{ ...fields, list: LONG }, fields]])
          expect(String(await longJson(body))).toBe(JSON.stringify(body));
      }),
      { numRuns: 200 },
    );
  });

  it('leaves other work its turns while it is written', async () => {
    let turns = 0;
    let isWritten = false;
    const count = () => {
      turns += 1;
      if (!isWritten) setImmediate(count);
    };
    count();
    const slow = { toJSON: () => busyFor(1) };
    await longJson(Array.from({ length: 60 }, () => slow));
    isWritten = true;
    expect(turns).toBeGreaterThan(5);
  });
});

function busyFor(durationMs: number): object {
  const untilMs = performance.now() + durationMs;
  while (performance.now() < untilMs);
  return {};
}
