import { describe, expect, it } from 'vitest';
import { parseByteSize } from '../../src/validation/byte-size.ts';

describe('parseByteSize', () => {
  it.each([
    ['2GB', 2_000_000_000],
    ['512MB', 512_000_000],
    ['256KiB', 262_144],
    ['1.5 MiB', 1_572_864],
    ['1tib', 1_099_511_627_776],
    ['10b', 10],
    ['77', 77],
    [77, 77],
  ])('reads %s as %d bytes', (text, bytes) => {
    expect(parseByteSize(text)).toBe(bytes);
  });

  it.each(['', 'GB', '2 XB', '-1MB', '1e9', '2GB ', '1.MB', '99999999999TiB', 1.5, null, true, Number.NaN])(
    'takes %s for no size',
    (value) => {
      expect(parseByteSize(value)).toBeNull();
    },
  );
});
