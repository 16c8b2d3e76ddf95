import * as Type from 'typebox';
import { expect, it } from 'vitest';
import { faultText } from '../../src/domain/error.ts';
import { schemaCheck } from '../../src/validation/schema-check.ts';

function rulesBroken(schema: object, value: unknown) {
  const result = schemaCheck(Type.Unsafe(schema), { root: 'body' })(value);
  return result.ok ? [] : result.faults.map(({ expected }) => expected);
}

it.each([
  [{ type: 'integer' }, 'x', 'a whole number'],
  [{ type: 'boolean' }, 1, 'true or false'],
  [{ type: ['string', 'null'] }, 1, 'text or null'],
  [{ type: 'array' }, {}, 'an array'],
  [{ enum: ['A'] }, 'x', 'A'],
  [{ enum: ['A', 'B', 'C'] }, 'x', 'A, B or C'],
  [{ type: 'number', minimum: 1 }, 0, 'at least 1'],
  [{ type: 'number', maximum: 1_000 }, 5_000, 'at most 1000'],
  [{ type: 'number', exclusiveMinimum: 0 }, 0, 'more than 0'],
  [{ type: 'number', exclusiveMaximum: 180 }, 180, 'less than 180'],
  [{ type: 'string', minLength: 1 }, '', 'at least 1 character'],
  [{ type: 'string', maxLength: 2 }, 'long', 'at most 2 characters'],
  [{ type: 'array', minItems: 1 }, [], 'at least 1 entry'],
  [{ type: 'array', maxItems: 2 }, [1, 2, 3], 'at most 2 entries'],
  [{ type: 'string', pattern: '^a', description: 'a word with a' }, 'x', 'a word with a'],
  [{ type: 'string', pattern: '^a' }, 'x', 'text that matches ^a'],
  [{ type: 'number', multipleOf: 2 }, 3, 'multiple of 2'],
])('ERR-01 %j is said of %j as "expected %s"', (schema, value, text) => {
  expect(rulesBroken(schema, value)).toEqual([text]);
});

const FIELDS = Type.Object(
  { size: Type.String({ maxLength: 2, description: 'a short size' }) },
  { additionalProperties: false },
);

it.each([
  [{ root: 'body' }, { size: 1 }, 'size: found 1, expected text'],
  [{ root: 'body' }, {}, 'size: found nothing, expected a value'],
  [{ root: 'body' }, { size: 'S', siez: 1 }, 'siez: unknown field; did you mean size?'],
  [{ root: 'body' }, 1, 'body: found 1, expected an object'],
  ['file', { size: 1 }, 'size: found 1, expected a short size, in quotes'],
  ['file', { size: 'long' }, 'size: found "long", expected a short size'],
  ['file', {}, 'size: found nothing, expected a short size'],
  ['file', { size: 'S', siez: 1 }, 'siez: found the unknown key "siez", expected a known key; did you mean size?'],
  ['file', 1, '(root): found 1, expected an object'],
] as const)('ERR-01 of %j the value %j is refused with "%s"', (style, value, sentence) => {
  const result = schemaCheck(FIELDS, style)(value);
  expect(result.ok ? [] : result.faults.map(faultText)).toEqual([sentence]);
});
