import type { Static, TSchema } from 'typebox';
import { invalidInput } from '../../../domain/error.ts';
import { schemaCheck } from '../../../validation/schema-check.ts';

/** Checks a value and gives it with its type, or throws `invalid-input` with every fault. */
export type Check<T> = (value: unknown) => T;

export function bodyCheck<S extends TSchema>(schema: S): Check<Static<S>> {
  return checkBy(schema, 'body');
}

/**
 * Query parameters come as text; those that the schema wants as numbers or booleans are read as such. One without a
 * value counts as left out (D-52).
 */
export function queryCheck<S extends TSchema>(schema: S): Check<Static<S>> {
  const check = checkBy(schema, 'query');
  const properties = new Map(Object.entries(propertiesOf(schema)));
  return (query) => {
    const given = Object.entries(query ?? {}).filter(([name, value]) => value !== '' || !properties.has(name));
    const values = given.map(([name, value]) => [name, readParameter(value, properties.get(name) ?? {})]);
    return check(Object.fromEntries(values));
  };
}

interface Parameter {
  readonly type?: string;
  readonly enum?: readonly unknown[];
}

function propertiesOf(schema: TSchema): Readonly<Record<string, Parameter>> {
  return 'properties' in schema ? Object(schema.properties) : {};
}

const FLAGS: ReadonlyMap<string, boolean> = new Map([
  ['true', true],
  ['false', false],
]);
const NUMBERS: Readonly<Record<string, RegExp>> = {
  integer: /^-?\d{1,15}$/,
  number: /^-?\d{1,15}(\.\d{1,15})?$/,
};

/** Anything but the plain form stays text, which the schema then refuses. */
function readParameter(value: unknown, { type, enum: words }: Parameter): unknown {
  if (typeof value !== 'string' || type === undefined) return value;
  if (words !== undefined) return wordOf(value, words);
  if (type === 'boolean') return FLAGS.get(value.toLowerCase()) ?? value;
  return NUMBERS[type]?.test(value) ? Number(value) : value;
}

/** One of these words, in any case. */
function wordOf(value: string, words: readonly unknown[]): unknown {
  const asked = value.toLowerCase();
  return words.includes(value) ? value : (words.find((word) => String(word).toLowerCase() === asked) ?? value);
}

function checkBy<S extends TSchema>(schema: S, root: string): Check<Static<S>> {
  const check = schemaCheck(schema, { root });
  return (value) => {
    const result = check(value);
    if (result.ok) return result.value;
    throw invalidInput(result.faults);
  };
}
