import type { ErrorObject } from 'ajv/dist/2020.js';
import { anyOf } from '../domain/error.ts';

/** The types of JSON in words. */
const TYPES: Readonly<Record<string, string>> = {
  string: 'text',
  integer: 'a whole number',
  number: 'a number',
  boolean: 'true or false',
  array: 'an array',
  object: 'an object',
  null: 'null',
};

/** The rule that a value breaks, in words that follow `expected`: `at most 1000`, `text or null`. */
export function brokenRule({ keyword, params, message = 'another value', parentSchema }: ErrorObject): string {
  const { limit } = params;
  switch (keyword) {
    case 'type':
      return anyOf([params.type].flat().map((type) => TYPES[String(type)] ?? String(type)));
    case 'enum':
      return anyOf(params.allowedValues);
    case 'pattern':
      return String(parentSchema?.description ?? `text that matches ${params.pattern}`);
    case 'minimum':
      return `at least ${limit}`;
    case 'maximum':
      return `at most ${limit}`;
    case 'exclusiveMinimum':
      return `more than ${limit}`;
    case 'exclusiveMaximum':
      return `less than ${limit}`;
    case 'minLength':
      return `at least ${count(limit, 'character', 'characters')}`;
    case 'maxLength':
      return `at most ${count(limit, 'character', 'characters')}`;
    case 'minItems':
      return `at least ${count(limit, 'entry', 'entries')}`;
    case 'maxItems':
      return `at most ${count(limit, 'entry', 'entries')}`;
    default:
      return message.replace(/^must (be|match|have) /, '');
  }
}

function count(number: number, one: string, many: string): string {
  return `${number} ${number === 1 ? one : many}`;
}
