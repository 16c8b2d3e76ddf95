import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js';
import type { Static, TSchema } from 'typebox';
import { type Fault, foundText, invalidInput } from '../../../domain/error.ts';
import { nearestName } from '../../../domain/nearest-name.ts';
import { brokenRule } from '../../../validation/broken-rule.ts';
import { fieldCount, MAX_FIELDS } from '../../../validation/field-count.ts';
import { QUICK_TO_COMPILE } from '../../../validation/json-schema.ts';

/** Checks a value and gives it with its type, or throws `invalid-input` with every fault. */
export type Check<T> = (value: unknown) => T;

// `date-time` is for the published documents; the code that reads a time reports its faults itself.
const SETTINGS = {
  strict: true,
  allErrors: true,
  verbose: true,
  formats: { 'date-time': true },
  ...QUICK_TO_COMPILE,
} as const;
const bodies = new Ajv2020(SETTINGS);
const queries = new Ajv2020({ ...SETTINGS, useDefaults: true });

/** The schema is compiled at the first request, because all schemas together would delay the start. */
export function bodyCheck<S extends TSchema>(schema: S): Check<Static<S>> {
  return checkBy(() => bodies.compile<Static<S>>(schema), 'body');
}

/**
 * Query parameters come as text; those that the schema wants as numbers or booleans are read as such. One without a
 * value counts as left out (D-52).
 */
export function queryCheck<S extends TSchema>(schema: S): Check<Static<S>> {
  const check = checkBy(() => queries.compile<Static<S>>(schema), 'query');
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

/** Faults reported at once. */
const MAX_FAULTS = 100;

/** ajv remembers the schemas that it compiled. */
function checkBy<T>(compile: () => ValidateFunction<T>, root: string): Check<T> {
  return (value) => {
    const fields = fieldCount(value);
    if (fields > MAX_FIELDS) {
      throw invalidInput([{ path: root, found: `${fields} fields`, expected: `at most ${MAX_FIELDS}` }]);
    }
    const validate = compile();
    if (validate(value)) return value;
    throw invalidInput((validate.errors ?? []).slice(0, MAX_FAULTS).map((error) => faultOf(error, root)));
  };
}

function faultOf(error: ErrorObject, root: string): Fault {
  const path = error.instancePath.slice(1).replaceAll('/', '.');
  const at = (name: string) => (path === '' ? name : `${path}.${name}`);
  const { params } = error;
  if (error.keyword === 'required')
    return { path: at(String(params.missingProperty)), found: 'nothing', expected: 'a value' };
  if (error.keyword === 'additionalProperties') {
    const name = String(params.additionalProperty);
    const meant = nearestName(name, Object.keys(error.parentSchema?.properties ?? {}));
    const hint = meant === null ? '' : `; did you mean ${meant}?`;
    const unknown = at(name);
    return { path: unknown, found: 'it', expected: 'a known field', sentence: `${unknown}: unknown field${hint}` };
  }
  return { path: path === '' ? root : path, found: foundText(error.data), expected: brokenRule(error) };
}
