import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { csvLine, spreadsheetForm } from '../../src/domain/csv.ts';
import { readCsv } from './read-csv.ts';

const AWKWARD = fc.constantFrom('=', '+', '-', '@', '\t', '\r', '\n', '"', ',', "'", ' ', 'a');
const text = fc.oneof(fc.string({ unit: AWKWARD }), fc.string({ unit: 'grapheme' }));

describe('D-29 a line of CSV', () => {
  it('is read back unchanged, except for an apostrophe before text that a spreadsheet would run', () => {
    const record = fc.array(text, { minLength: 2, maxLength: 6 });
    fc.assert(
      fc.property(fc.array(record, { minLength: 1 }), (records) => {
        const read = readCsv(records.map((one) => csvLine(one)).join(''));
        expect(read).toHaveLength(records.length);
        for (const [place, fields] of records.entries()) {
          for (const [index, field] of fields.entries()) {
            const found = read[place]?.[index];
            expect(found).toBe(/^[=+\-@\t\r]/.test(field) ? `'${field}` : field);
          }
        }
      }),
    );
  });

  it.each([
    [['a', 1.5, null, 'b'], 'a,1.5,,b\r\n'],
    [['say "no", now', '2 lines\nof it'], '"say ""no"", now","2 lines\nof it"\r\n'],
    [['=1+1', '+1', '-1', '@SUM(A1)', '=HYPERLINK("x","y")'], `'=1+1,'+1,'-1,'@SUM(A1),"'=HYPERLINK(""x"",""y"")"\r\n`],
    [[-1], '-1\r\n'],
  ])('of %j', (values, line) => {
    expect(csvLine(values)).toBe(line);
  });

  it.each([
    ['de', '1,5;-2;2026-11-29 02:37:45;"a, b";"c;d"\r\n'],
    ['en', '1.5,-2,2026-11-29 02:37:45,"a, b",c;d\r\n'],
  ] as const)('F15 for a spreadsheet in %s has its separator, decimal sign and times', (language, line) => {
    const form = spreadsheetForm(language, () => '2026-11-29T02:37:45.544+01:00');
    expect(csvLine([1.5, -2, '2026-11-29T01:37:45.544Z', 'a, b', 'c;d'], form)).toBe(line);
  });
});
