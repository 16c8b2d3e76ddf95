import type { ErrorObject } from 'ajv/dist/2020.js';
import { anyOf, type Fault, foundText } from '../domain/error.ts';
import { nearestName } from '../domain/nearest-name.ts';
import { type Path, pathText } from './fault-path.ts';

/** A fault of shape, with its place in the document. */
export interface SchemaFault extends Fault {
  readonly segments: Path;
  /** Whether the key itself is the fault, because it is not allowed, or its value. */
  readonly part: 'key' | 'value';
}

/**
 * A file is written in YAML by hand: its places read `machines[3].topicRoot`, and the `description` of a schema is the
 * rule. The places of other values read `machines.3.topicRoot`, and `root` names the whole value.
 */
export type FaultStyle = 'file' | { readonly root: string };

/** The first rule that a value breaks, as a fault that names the field, the found value and the rule. */
export function faultOf(error: ErrorObject, style: FaultStyle): SchemaFault {
  const segments = segmentsOf(error.instancePath);
  if (error.keyword === 'additionalProperties') return unknownKey(error, segments, style);
  if (error.keyword === 'required') return missingKey(error, segments, style);
  const { parentSchema } = error;
  // A secret is never repeated.
  const found = parentSchema?.writeOnly === true ? `another ${typeof error.data}` : foundText(error.data);
  return faultAt(segments, style, found, expectedBy(error, style));
}

/** A fault of the value at a place. */
export function faultAt(segments: Path, style: FaultStyle, found: string, expected: string): SchemaFault {
  return { segments, part: 'value', path: pathIn(segments, style), found, expected };
}

function unknownKey(error: ErrorObject, parent: Path, style: FaultStyle): SchemaFault {
  const key = String(error.params.additionalProperty);
  const known = Object.keys(error.parentSchema?.properties ?? {});
  const nearest = nearestName(key, known);
  const expected = nearest === null ? anyOf(known) : `a known key; did you mean ${nearest}?`;
  const fault = faultAt([...parent, key], style, `the unknown key ${foundText(key)}`, expected);
  if (style === 'file') return { ...fault, part: 'key' };
  const hint = nearest === null ? '' : `; did you mean ${nearest}?`;
  return { ...fault, part: 'key', sentence: `${fault.path}: unknown field${hint}` };
}

function missingKey(error: ErrorObject, parent: Path, style: FaultStyle): SchemaFault {
  const key = String(error.params.missingProperty);
  const description = style === 'file' ? error.parentSchema?.properties?.[key]?.description : undefined;
  return faultAt([...parent, key], style, 'nothing', description ?? 'a value');
}

function expectedBy(error: ErrorObject, style: FaultStyle): string {
  if (style !== 'file') return brokenRule(error);
  const expected = error.parentSchema?.description ?? brokenRule(error);
  return isUnquoted(error) ? `${expected}, in quotes` : expected;
}

/** A number or boolean in the place of text is a text that needs quotes in YAML. */
function isUnquoted({ keyword, schema, data }: ErrorObject): boolean {
  return keyword === 'type' && [schema].flat().includes('string') && /^(number|boolean)$/.test(typeof data);
}

function pathIn(segments: Path, style: FaultStyle): string {
  if (style === 'file') return pathText(segments);
  return segments.length === 0 ? style.root : segments.join('.');
}

function segmentsOf(pointer: string): Path {
  const keys = pointer.split('/').slice(1);
  return keys.map((key) => {
    return /^\d+$/.test(key) ? Number(key) : key.replaceAll('~1', '/').replaceAll('~0', '~');
  });
}

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
function brokenRule({ keyword, params, message = 'another value', parentSchema }: ErrorObject): string {
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
