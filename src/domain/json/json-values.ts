import { COMMA, OPEN_BRACE, OPEN_BRACKET, QUOTE } from './json-characters.ts';
import { closingQuote } from './json-string.ts';

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
