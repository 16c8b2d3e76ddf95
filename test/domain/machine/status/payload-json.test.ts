import { describe, expect, it } from 'vitest';
import { CodedError } from '../../../../src/domain/error.ts';
import { parsePayload } from '../../../../src/domain/machine/status/payload-json.ts';
import { processorMs } from '../../../processor-time.ts';

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
    expect(parsePayload(text)).toEqual(value);
  });

  it.each(['{"cycle":++5}', '{"cycle":+}', '{"cycle":+x}', '{"cycle":+5'])('D-33 is refused as %s', (text) => {
    expect(parsePayload(text)).toBeInstanceOf(CodedError);
  });

  it('D-33 is read without a pause for machines in 64 KiB of quotes or plus signs', () => {
    const startedMs = processorMs();
    for (const part of ['"', '":+', ',+', '+5', '\\"', ':  '])
      for (let count = 0; count < 5; count++) parsePayload(`{${part.repeat(65_000 / part.length)}`);
    expect(processorMs() - startedMs).toBeLessThan(600);
  });

  it('D-13 has at most 12,000 values, because other machines wait while it is read', () => {
    expect(parsePayload(objectOf(12_000))).toMatchObject({ field11998: 11_998 });
    const refusal = parsePayload(objectOf(12_100));
    expect(refusal).toBeInstanceOf(CodedError);
    expect(refusal).toMatchObject({ message: 'body: found more, expected at most 12000 values' });
  });
});
