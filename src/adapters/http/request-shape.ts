import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js';
import type { Static, TSchema } from 'typebox';
import { type Fault, foundText, invalidInput } from '../../domain/error.ts';

/** Checks a value and gives it with its type, or throws `invalid-input` naming every fault. */
export type Check<T> = (value: unknown) => T;

const SETTINGS = { strict: true, allErrors: true, verbose: true } as const;
const bodies = new Ajv2020(SETTINGS);
/** Query parameters come as text; numbers and booleans among them are read as such. */
const queries = new Ajv2020({ ...SETTINGS, coerceTypes: true, useDefaults: true });

export function bodyCheck<S extends TSchema>(schema: S): Check<Static<S>> {
  return checkBy(bodies.compile<Static<S>>(schema), 'body');
}

export function queryCheck<S extends TSchema>(schema: S): Check<Static<S>> {
  return checkBy(queries.compile<Static<S>>(schema), 'query');
}

function checkBy<T>(validate: ValidateFunction<T>, root: string): Check<T> {
  return (value) => {
    if (validate(value)) return value;
    throw invalidInput((validate.errors ?? []).map((error) => faultOf(error, root)));
  };
}

function faultOf(error: ErrorObject, root: string): Fault {
  const path = error.instancePath.slice(1).replaceAll('/', '.');
  const at = (name: string) => (path === '' ? name : `${path}.${name}`);
  const { params } = error;
  if (error.keyword === 'required')
    return { path: at(String(params.missingProperty)), found: 'nothing', expected: 'a value' };
  if (error.keyword === 'additionalProperties') {
    return { path: at(String(params.additionalProperty)), found: 'it', expected: 'no such field here' };
  }
  return { path: path === '' ? root : path, found: foundText(error.data), expected: ruleOf(error) };
}

/** `must be integer` says the rule as an order; after `expected` it reads as a noun. */
function ruleOf({ keyword, params, message = 'another value' }: ErrorObject): string {
  if (keyword === 'enum' && Array.isArray(params.allowedValues)) return params.allowedValues.join(', ');
  if (keyword === 'pattern' || keyword === 'type') return message.replace(/^must (be|match) /, '');
  return message.replace(/^must (be|have|NOT have) /, (_, verb: string) => (verb === 'NOT have' ? 'no ' : ''));
}
