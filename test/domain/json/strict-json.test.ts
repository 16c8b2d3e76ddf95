import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { duplicateKey, halfCharacter, parseStrictJson } from '../../../src/domain/json/json.ts';
import { processorMs } from '../../rounds.ts';

describe('strict JSON', () => {
  it.each([
    ['"\\ud800"', '\\ud800'],
    ['"\\uDC00"', '\\uDC00'],
    ['"\\udc00\\ud800"', '\\udc00'],
    ['"\\ud83d\\ude00 \\uD83D!"', '\\uD83D'],
    ['{"a\\udbff":1}', '\\udbff'],
    ['"\\\\\\ud800"', '\\ud800'],
  ])('D-13 refuses half a character in %s', (text, found) => {
    expect(() => parseStrictJson(text)).toThrow(`body: found ${found}, expected whole characters`);
  });

  it.each(['"\\ud83d\\ude00"', '"\\\\ud800"', '"\\\\\\\\ud800"', '"😀"', '"\\u00e9\\n"'])(
    'D-13 may contain %s',
    (text) => {
      expect(parseStrictJson(text)).toBe(JSON.parse(text));
    },
  );

  it('D-13 finds half a character among any escapes', () => {
    const part = fc.constantFrom('\\\\', '\\n', '\\u0041', '\\ud83d', '\\uDE00', '\\udbff\\udfff', 'ud83d', 'a');
    fc.assert(
      fc.property(fc.array(part, { maxLength: 12 }), (parts) => {
        const text = `"${parts.join('')}"`;
        expect(halfCharacter(text) === null).toBe(String(JSON.parse(text)).isWellFormed());
      }),
    );
  });

  it('D-13 searches eight million escapes for half a character within 0.4 s', () => {
    const text = `"\\\\ud8${'\\n'.repeat(8_000_000)}"`;
    const startedMs = processorMs();
    expect(halfCharacter(text)).toBe(null);
    expect(processorMs() - startedMs).toBeLessThan(400);
  });

  it.each([
    ['{"a":1,"a":2}', 'a'],
    ['{"a":1,"\\u0061":2}', 'a'],
    ['{"a\\"":1,"a\\"":2}', 'a"'],
    ['{"a\\\\":1,"a\\\\":2}', 'a\\'],
    ['{"":1,"":2}', ''],
    ['[{"x":{"b":1,"c":[{"b":1}],"b":2}}]', 'b'],
    ['{"__proto__":1,"__proto__":1}', '__proto__'],
    ['{ "a" : [1, {"a":":"}] , "a" : 2 }', 'a'],
    ['{"a":{"a":{"a":"a"}},"b":["a","a",{"a":1},{"a":1}]}', null],
    ['{"a":"\\\\","b":"{\\"a\\":1}"}', null],
    ['[]', null],
    ['"a"', null],
  ])('D-13 finds the duplicate key in %s', (text, key) => {
    expect(() => JSON.parse(text)).not.toThrow();
    expect(duplicateKey(text)).toBe(key);
  });

  it('D-13 finds no duplicate key in text that was made from objects', () => {
    fc.assert(fc.property(fc.json({ depthSize: 'medium' }), (text) => duplicateKey(text) === null));
  });
});
