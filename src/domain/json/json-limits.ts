import { CLOSE_BRACE, CLOSE_BRACKET, COMMA, OPEN_BRACE, OPEN_BRACKET, QUOTE } from './json-characters.ts';
import { characterCode, closingQuote } from './json-string.ts';

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
