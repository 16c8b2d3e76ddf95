import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { halfCharacter } from '../../src/domain/half-character.ts';
import { parseStrictJson } from '../../src/domain/strict-json.ts';

describe('JSON as it is taken', () => {
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

  it.each(['"\\ud83d\\ude00"', '"\\\\ud800"', '"\\\\\\\\ud800"', '"😀"', '"\\u00e9\\n"'])('D-13 takes %s', (text) => {
    expect(parseStrictJson(text)).toBe(JSON.parse(text));
  });

  it('D-13 finds halves in exactly the texts that have them', () => {
    const unit = fc.constantFrom('\\ud83d', '\\ude00', '\\\\', 'ud83d', 'x', '\\u0041');
    fc.assert(
      fc.property(fc.array(unit, { maxLength: 12 }), (units) => {
        const json = `"${units.join('')}"`;
        expect(halfCharacter(json) === null).toBe(String(JSON.parse(json)).isWellFormed());
      }),
    );
  });
});
