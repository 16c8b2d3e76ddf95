import fc from 'fast-check';
import { expect, it } from 'vitest';
import { parse } from 'yaml';
import { plantText } from '../../../src/config/plant-file/plant-text.ts';

const YAML_1_1 = { version: '1.1' } as const;
/** The words of YAML 1.1 for truth, nothing and numbers, in the spellings that it takes. */
const WORDS =
  'yes Yes NO no on Off y N true ~ null Null .inf -.Inf .nan 1_000 0o17 017 0b11 0x1F 12:30 1:2:3.5 +1 1. .5 1e3';
const OTHERS = ['2026-11-25', '2026-1-5', '2001-12-14 21:59:43.10 -5', '2026-11-25T10:00:00Z', '=', '<<', ''];

it.each([...WORDS.split(' '), ...OTHERS])(
  'an exported text %j is quoted, so that YAML 1.1 reads it as the text',
  (word) => {
    const text = plantText('parts', [{ partId: word }], false);
    expect(text).toContain(`"${word}"`);
    expect(parse(text, YAML_1_1)).toEqual({ parts: [{ partId: word }] });
  },
);

it('any exported text is the same text in YAML 1.1 and 1.2', () => {
  const near = fc.string({ unit: fc.constantFrom(...'0123456789_:.-+eExXoObynfTZ=<~ ') });
  fc.assert(
    fc.property(fc.oneof(near, fc.string()), (word) => {
      const text = plantText('parts', [{ partId: word, [`k${word}`]: 1 }], false);
      for (const version of ['1.1', '1.2'] as const) {
        expect(parse(text, { version })).toEqual({ parts: [{ partId: word, [`k${word}`]: 1 }] });
      }
    }),
  );
});

it('exported texts that no reader mistakes stay as they are', () => {
  const text = plantText('parts', [{ partId: 'P-100', partName: 'Panel 100' }], false);
  expect(text).toBe('parts:\n  - partId: P-100\n    partName: Panel 100\n');
});
