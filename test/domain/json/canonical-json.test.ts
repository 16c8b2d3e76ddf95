import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { canonicalJson } from '../../../src/domain/json/json.ts';
import { inOneGo } from '../../../src/domain/sliced-work.ts';

const canonical = (text: string) => inOneGo(canonicalJson(JSON.parse(text)));

/** The same value with the keys of every object the other way round. */
function reversed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(reversed);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).reverse();
  return Object.fromEntries(entries.map(([key, item]) => [key, reversed(item)]));
}

describe('canonical JSON', () => {
  it.each([
    ['{"b":1,"a":{"d":2,"c":[3,4]}}', ' { "a": {"c":[3, 4.0],"d":2},\n"b":1e0}', '{"a":{"c":[3,4],"d":2},"b":1}'],
    ['{"__proto__":1,"a":2}', '{"a":2,"__proto__":1}', '{"__proto__":1,"a":2}'],
    ['"\\u0041"', '"A"', '"A"'],
    ['{"10":1,"9":2}', '{"9":2,"10":1}', '{"10":1,"9":2}'],
    ['[]', ' [ ] ', '[]'],
  ])('is the same for %s and %s', (one, other, expected) => {
    expect([canonical(one), canonical(other)]).toEqual([expected, expected]);
  });

  it.each([
    ['[1,2]', '[2,1]'],
    ['{"a":1}', '{"a":"1"}'],
    ['{"a":null}', '{}'],
    ['{"a":{"b":1}}', '{"a":1,"b":1}'],
    ['["a,b"]', '["a","b"]'],
  ])('differs for %s and %s', (one, other) => {
    expect(canonical(one)).not.toBe(canonical(other));
  });

  it('keeps the value, for any order of keys and any white space', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const text = JSON.stringify(value);
        expect(JSON.parse(canonical(text))).toEqual(JSON.parse(text));
        expect(canonical(JSON.stringify(reversed(value), null, 2))).toBe(canonical(text));
      }),
    );
  });
});
