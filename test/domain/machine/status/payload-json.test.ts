import { describe, expect, it } from 'vitest';
import { CodedError } from '../../../../src/domain/error.ts';
import { parsePayload } from '../../../../src/domain/machine/status/payload-json.ts';

/** An object with this number of JSON values. The object itself counts as one. */
function objectOf(values: number): string {
  const fields = Array.from({ length: values - 1 }, (_, count) => [`field${count}`, count]);
  return JSON.stringify(Object.fromEntries(fields));
}

describe('the JSON of a payload', () => {
  it('D-13 has at most 12,000 values, because other machines wait while it is read', () => {
    expect(parsePayload(objectOf(12_000))).toMatchObject({ field11998: 11_998 });
    const refusal = parsePayload(objectOf(12_100));
    expect(refusal).toBeInstanceOf(CodedError);
    expect(refusal).toMatchObject({ message: 'body: found more, expected at most 12000 values' });
  });
});
