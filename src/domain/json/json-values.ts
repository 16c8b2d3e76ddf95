import { COMMA, OPEN_BRACE, OPEN_BRACKET, QUOTE } from './json-characters.ts';
import { closingQuote } from './json-string.ts';

/**
 * Whether JSON text has more than `limit` values, counting each object, array, and entry of them. It is what reading takes
 * time for: a megabyte in one string is nothing, a megabyte of keys takes 150 ms. Looks at
 * commas and brackets outside strings, stops at the limit, never parses; text that is no JSON gets some answer.
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
