import { BACKSLASH } from './json-characters.ts';

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
