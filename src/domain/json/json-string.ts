import { BACKSLASH, QUOTE } from './json-characters.ts';

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

export function characterCode(json: string | Uint8Array, index: number): number | undefined {
  return typeof json === 'string' ? json.charCodeAt(index) : json[index];
}
