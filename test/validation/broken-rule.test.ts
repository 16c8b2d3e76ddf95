import { Ajv2020 } from 'ajv/dist/2020.js';
import { expect, it } from 'vitest';
import { brokenRule } from '../../src/validation/broken-rule.ts';

const ajv = new Ajv2020({ verbose: true, strict: false });

it.each([
  [{ type: 'integer' }, 'x', 'a whole number'],
  [{ type: 'boolean' }, 1, 'true or false'],
  [{ type: ['string', 'null'] }, 1, 'text or null'],
  [{ type: 'array' }, {}, 'an array'],
  [{ enum: ['A'] }, 'x', 'A'],
  [{ enum: ['A', 'B', 'C'] }, 'x', 'A, B or C'],
  [{ minimum: 1 }, 0, 'at least 1'],
  [{ maximum: 1_000 }, 5_000, 'at most 1000'],
  [{ exclusiveMinimum: 0 }, 0, 'more than 0'],
  [{ exclusiveMaximum: 180 }, 180, 'less than 180'],
  [{ minLength: 1 }, '', 'at least 1 character'],
  [{ maxLength: 2 }, 'long', 'at most 2 characters'],
  [{ minItems: 1 }, [], 'at least 1 entry'],
  [{ maxItems: 2 }, [1, 2, 3], 'at most 2 entries'],
  [{ pattern: '^a', description: 'a word with a' }, 'x', 'a word with a'],
  [{ pattern: '^a' }, 'x', 'text that matches ^a'],
  [{ multipleOf: 2 }, 3, 'multiple of 2'],
])('ERR-01 %j is said of %j as "expected %s"', (schema, value, text) => {
  const validate = ajv.compile(schema);
  validate(value);
  expect(validate.errors?.map(brokenRule)).toEqual([text]);
});
