import { CodedError, foundText, invalidInput } from '../error.ts';
import { errorMessage } from '../error-text.ts';
import { BACKSLASH, CLOSE_BRACE, CLOSE_BRACKET, COLON, OPEN_BRACE, OPEN_BRACKET, QUOTE } from './json-characters.ts';
import { jsonDepthExceeds, MAX_JSON_DEPTH } from './json-limits.ts';
import { closingQuote } from './json-string.ts';

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
