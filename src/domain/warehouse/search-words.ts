const WORD = /[\p{L}\p{N}]+/gu;

/** The words of a text as they are searched for: letters and digits, in lower case, each once (D-19). */
export function searchWords(text: string): readonly string[] {
  return [...new Set(text.toLowerCase().match(WORD) ?? [])];
}
