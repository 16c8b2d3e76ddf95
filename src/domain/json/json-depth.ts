import { CLOSE_BRACE, CLOSE_BRACKET, OPEN_BRACE, OPEN_BRACKET, QUOTE } from './json-characters.ts';
import { characterCode, closingQuote } from './json-string.ts';

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
