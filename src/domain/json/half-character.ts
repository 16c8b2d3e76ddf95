const HALF = /\\u[dD][89a-fA-F]/;
/**
 * A whole character as two escapes, half of one, or any other escape, so that an escaped backslash does not begin one.
 */
const ESCAPE = /\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|(\\u[dD][89a-fA-F][0-9a-fA-F]{2})|\\./g;

/**
 * The first escape in this JSON text that is half of a character, as `\ud800`, or null. UTF-8 has no form for it: the
 * stored text would not be the sent one, and many readers of JSON refuse a whole list because of it.
 */
export function halfCharacter(json: string): string | null {
  if (!HALF.test(json)) return null;
  for (const [, half] of json.matchAll(ESCAPE)) if (half !== undefined) return half;
  return null;
}
