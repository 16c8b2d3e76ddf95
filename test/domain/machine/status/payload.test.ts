import { describe, expect, it } from 'vitest';
import { parsePayload, readPayloadText } from '../../../../src/domain/machine/status/payload.ts';
import { processorMs } from '../../../rounds.ts';

/** An object with this number of JSON values. The object itself counts as one. */
function objectOf(values: number): string {
  const fields = Array.from({ length: values - 1 }, (_, count) => [`field${count}`, count]);
  return JSON.stringify(Object.fromEntries(fields));
}

describe('the JSON of a payload', () => {
  it.each([
    ['{"cycle":+5,"goodPart": +6}', { cycle: 5, goodPart: 6 }],
    ['{"partName":"a,+5 \\":+7","cycle":+5}', { partName: 'a,+5 ":+7', cycle: 5 }],
    ['{"list":[+1,-2]}', { list: [1, -2] }],
  ])('D-33 may have a plus in front of numbers, as controllers of Siemens write them: %s', (text, value) => {
    expect(parsePayload(text)).toEqual({ ok: true, body: value });
  });

  it.each(['{"cycle":++5}', '{"cycle":+}', '{"cycle":+x}', '{"cycle":+5'])('D-33 is refused as %s', (text) => {
    expect(parsePayload(text)).toMatchObject({ ok: false, faults: [{ path: 'body' }] });
  });

  it('D-33 is read without a pause for machines in 64 KiB of quotes or plus signs', () => {
    const startedMs = processorMs();
    for (const part of ['"', '":+', ',+', '+5', '\\"', ':  '])
      for (let count = 0; count < 5; count++) parsePayload(`{${part.repeat(65_000 / part.length)}`);
    expect(processorMs() - startedMs).toBeLessThan(600);
  });

  it('D-13 has at most 12,000 values, because other machines wait while it is read', () => {
    expect(parsePayload(objectOf(12_000))).toMatchObject({ body: { field11998: 11_998 } });
    const faults = [{ path: 'body', found: 'more', expected: 'at most 12000 values' }];
    expect(parsePayload(objectOf(12_100))).toEqual({ ok: false, faults });
  });
});

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
