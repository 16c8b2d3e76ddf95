import fc from 'fast-check';
import { encode } from 'uqr';
import { expect, it } from 'vitest';
import { qrCode } from '../../../src/domain/qr/qr-code.ts';

/** The code of another program with each of the eight masks. */
function byAnother(text: string): readonly string[] {
  return Array.from({ length: 8 }, (_, maskPattern) =>
    shown(encode(`${text}`, { ecc: 'M', border: 0, maskPattern, boostEcc: false }).data),
  );
}

function shown(rows: readonly (readonly (boolean | number)[])[]): string {
  return rows.map((row) => row.map((one) => (one ? '#' : ' ')).join('')).join('\n');
}

it('a QR code is the one that another program makes, for every length', () => {
  const texts = fc.string({ unit: fc.constantFrom(...'abcxyz/:.-_0189', 'ü', '線'), minLength: 0, maxLength: 210 });
  fc.assert(
    fc.property(texts, (text) => {
      expect(byAnother(`h${text}`)).toContain(shown(qrCode(`h${text}`)));
    }),
    { numRuns: 30 },
  );
  for (let length = 1; length <= 666; length += 37) {
    const text = 'p'.repeat(length);
    expect(byAnother(text)).toContain(shown(qrCode(text)));
  }
});

it('the mask that is easiest to read is taken', () => {
  const text = 'http://gate.example:8080/machine/RF-01';
  expect(shown(qrCode(text))).toBe(shown(encode(text, { ecc: 'M', border: 0, boostEcc: false }).data));
});

it('a text of more than 666 bytes has no code', () => {
  expect(qrCode('x'.repeat(666))).toHaveLength(97);
  expect(() => qrCode('x'.repeat(667))).toThrow(RangeError);
});
