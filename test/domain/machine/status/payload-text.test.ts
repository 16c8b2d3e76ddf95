import { describe, expect, it } from 'vitest';
import { readPayloadText } from '../../../../src/domain/machine/status/payload-text.ts';
import { processorMs } from '../../../processor-time.ts';

const utf16 = (text: string) => Buffer.from(text, 'utf16le');

describe('the text of a payload', () => {
  it.each(['', 'x', '12', '{"a":1}', ' 12', 'ü', 'a b', '\ufffd'])('D-34 %j is clean', (payload) => {
    expect(readPayloadText(payload)).toEqual({ kind: 'clean' });
  });

  it.each([
    ['\ufeff{}', '{}', 'a byte order mark in front'],
    ['{}\0', '{}', 'NUL bytes or blanks behind'],
    ['1\0', '1', 'NUL bytes or blanks behind'],
    ['ü\0', 'ü', 'NUL bytes or blanks behind'],
    ['12\r\n', '12', 'NUL bytes or blanks behind'],
    ['\0\0\0', '', 'NUL bytes or blanks behind'],
    ['\ufeff{}\0 \0', '{}', 'a byte order mark in front and NUL bytes or blanks behind'],
  ])('D-34 %j is read as %j', (payload, text, taken) => {
    expect(readPayloadText(payload)).toEqual({ kind: 'tolerated', text, taken });
  });

  it.each([
    ['little-endian', utf16('{"a":1}')],
    ['little-endian with its mark', utf16('\ufeff{"a":1}')],
    ['one letter with its mark', utf16('\ufeff5')],
    ['big-endian', utf16('12').swap16()],
    ['big-endian with its mark', utf16('\ufeff12').swap16()],
  ])('D-34 is recognised as UTF-16, %s', (_, bytes) => {
    expect(readPayloadText(bytes.toString('utf8'))).toEqual({ kind: 'utf-16' });
  });

  it.each([
    ['blanks', ' '],
    ['NUL bytes', '\0'],
  ])('D-34 takes no time for a long row of %s inside', (_, padding) => {
    const startedMs = processorMs();
    const inside = `{${padding.repeat(250_000)}x`;
    expect(readPayloadText(`${inside}${padding}`)).toMatchObject({ kind: 'tolerated', text: inside });
    expect(processorMs() - startedMs).toBeLessThan(500);
  });
});
