import { CLOSE_BRACE, CLOSE_BRACKET, COLON, OPEN_BRACE, OPEN_BRACKET, QUOTE } from './json-characters.ts';
import { closingQuote } from './json-string.ts';

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
