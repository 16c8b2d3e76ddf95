import { CodedError, foundText, invalidInput } from '../error.ts';
import { errorMessage } from '../error-text.ts';
import type { SlicedWork } from '../sliced-work.ts';

/** The codes of the characters that give JSON its structure, the same in text and in UTF-8. */
export const QUOTE = 0x22;
export const COMMA = 0x2c;
export const COLON = 0x3a;
export const OPEN_BRACKET = 0x5b;
export const BACKSLASH = 0x5c;
export const CLOSE_BRACKET = 0x5d;
export const OPEN_BRACE = 0x7b;
export const CLOSE_BRACE = 0x7d;

/**
 * The end of the string that began before `from`, in JSON as text or UTF-8 bytes; the end of the input if the string
 * does not end.
 */
export function closingQuote(json: string | Uint8Array, from: number): number {
  let index = from;
  while (index < json.length) {
    const code = characterCode(json, index);
    if (code === QUOTE) return index;
    index += code === BACKSLASH ? 2 : 1;
  }
  return index;
}

function characterCode(json: string | Uint8Array, index: number): number | undefined {
  return typeof json === 'string' ? json.charCodeAt(index) : json[index];
}

/**
 * Whether JSON text has more than `limit` values, counting each object, array, and entry of them. The number of values
 * decides the time of reading: a megabyte in one string takes almost none, a megabyte of keys takes 150 ms. Counts
 * commas and brackets outside strings, stops at the limit, and never parses. For text that is no JSON the answer is
 * arbitrary.
 */
export function jsonValuesExceed(json: string, limit: number): boolean {
  if (json.length <= limit) return false;
  let values = 1;
  for (let index = 0; index < json.length; index++) {
    const code = json.charCodeAt(index);
    if (code === QUOTE) {
      index = closingQuote(json, index + 1);
    } else if (code === COMMA || code === OPEN_BRACE || code === OPEN_BRACKET) {
      values++;
      if (values > limit) return true;
    }
  }
  return false;
}

/** The greatest depth of a body from outside (D-13). */
export const MAX_JSON_DEPTH = 64;

/**
 * Whether JSON, as text or UTF-8 bytes, nests objects and arrays deeper than `limit`. Counts brackets outside strings
 * and never parses, so it is safe for input that would exhaust the parser. For text that is no JSON the answer is
 * arbitrary (D-13).
 */
export function jsonDepthExceeds(json: string | Uint8Array, limit: number = MAX_JSON_DEPTH): boolean {
  if (json.length <= limit || (limit > 0 && typeof json === 'string' && isFlat(json))) return false;
  let depth = 0;
  for (let index = 0; index < json.length; index++) {
    const code = characterCode(json, index);
    if (code === QUOTE) {
      index = closingQuote(json, index + 1);
    } else if (code === OPEN_BRACE || code === OPEN_BRACKET) {
      depth++;
      if (depth > limit) return true;
    } else if (code === CLOSE_BRACE || code === CLOSE_BRACKET) {
      depth--;
    }
  }
  return false;
}

/** A status is flat: one bracket opens at its front and none behind. */
function isFlat(json: string): boolean {
  return !json.includes('{', 1) && !json.includes('[');
}

export type JsonObject = Readonly<Record<string, unknown>>;

/** True for an object, false for null, arrays and everything else that JSON can hold. */
export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The value if it is a JSON object, else null. */
export function asJsonObject(value: unknown): JsonObject | null {
  return isJsonObject(value) ? value : null;
}

/** The object that a text holds; null if the text is not JSON or holds something else. */
export function parseJsonObject(text: string): JsonObject | null {
  return asJsonObject(jsonOrNull(text));
}

/** The value that a text holds; null if the text is not JSON. */
export function jsonOrNull(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/** Reads JSON of at most 64 levels (D-13), no key twice in one object, of whole characters. Throws `malformed` or `invalid-input`. */
export function parseStrictJson(text: string): unknown {
  if (jsonDepthExceeds(text)) {
    throw invalidInput([{ path: 'body', found: 'deeper nesting', expected: `at most ${MAX_JSON_DEPTH} levels` }]);
  }
  const value = parsed(text);
  const half = halfCharacter(text);
  if (half !== null) throw invalidInput([{ path: 'body', found: half, expected: 'whole characters' }]);
  const twice = duplicateKey(text);
  if (twice === null) return value;
  throw invalidInput([{ path: 'body', found: `${foundText(twice)} twice`, expected: 'each key once' }]);
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    const why = errorMessage(error);
    throw new CodedError('malformed', `body: invalid JSON: ${why}`);
  }
}

/**
 * The first key that an object of this JSON text has twice, or null. `JSON.parse` would silently keep the last, so that
 * the record would differ from its writer's reading. The text must be valid JSON. It is read once, character by
 * character, because bodies may be megabytes and machines wait meanwhile.
 */
export function duplicateKey(json: string): string | null {
  const keysOfOpen: (Set<string> | null)[] = [];
  let textFrom = 0;
  let textTo = 0;
  for (let index = 0; index < json.length; index++) {
    const code = json.charCodeAt(index);
    if (code === QUOTE) {
      textFrom = index;
      index = closingQuote(json, index + 1);
      textTo = index + 1;
    } else if (code === OPEN_BRACE || code === OPEN_BRACKET) {
      keysOfOpen.push(null);
    } else if (code === CLOSE_BRACE || code === CLOSE_BRACKET) {
      keysOfOpen.pop();
    } else if (code === COLON) {
      const key = textOf(json.slice(textFrom, textTo));
      const keys = keysOfOpen.pop() ?? new Set();
      if (keys.has(key)) return key;
      keysOfOpen.push(keys.add(key));
    }
  }
  return null;
}

function textOf(quoted: string): string {
  return quoted.includes('\\') ? String(JSON.parse(quoted)) : quoted.slice(1, -1);
}

const HALF = /\\u[dD][89a-fA-F]/;
/** A whole character as two escapes. */
const PAIR = /\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}/y;
const LETTER_U = 0x75;
const ESCAPE_LENGTH = 6;

/**
 * The first escape in this JSON text that is half of a character, as `\ud800`, or null. UTF-8 has no form for it: the
 * stored text would not be the sent one, and many readers of JSON refuse a whole list because of it. The text must be
 * valid JSON. It may have a million escapes, so whole ones are skipped without a regular expression.
 */
export function halfCharacter(json: string): string | null {
  if (!HALF.test(json)) return null;
  let at = json.indexOf('\\');
  while (at !== -1) {
    const length = escapeLength(json, at);
    if (length === null) return json.slice(at, at + ESCAPE_LENGTH);
    at = nextEscape(json, at + length);
  }
  return null;
}

/** The length of the character that begins with the escape at `at`; null if the escape is half of a character. */
function escapeLength(json: string, at: number): number | null {
  if (json.charCodeAt(at + 1) !== LETTER_U) return 2;
  if (!HALF.test(json.slice(at, at + ESCAPE_LENGTH))) return ESCAPE_LENGTH;
  PAIR.lastIndex = at;
  return PAIR.test(json) ? 2 * ESCAPE_LENGTH : null;
}

/** The place of the next escape, or -1. Escapes often follow each other, so the next character is looked at first. */
function nextEscape(json: string, from: number): number {
  return json.charCodeAt(from) === BACKSLASH ? from : json.indexOf('\\', from);
}

/**
 * A parsed JSON value as JSON without white space, the keys of each object in one order: the same for all texts with
 * equal values. It recurses as deep as the value is.
 */
export function* canonicalJson(value: unknown): SlicedWork<string> {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  yield;
  const parts: string[] = [];
  if (Array.isArray(value)) {
    for (const item of value) parts.push(yield* canonicalJson(item));
    return `[${parts.join()}]`;
  }
  const fields: Readonly<Record<string, unknown>> = { ...value };
  for (const key of Object.keys(fields).sort()) {
    parts.push(`${JSON.stringify(key)}:${yield* canonicalJson(fields[key])}`);
  }
  return `{${parts.join()}}`;
}
