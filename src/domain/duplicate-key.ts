const STRUCTURE = /"(?:[^"\\]|\\.)*"|[{}[\],:]/g;

/**
 * The first key that an object of this JSON text has twice, or null. `JSON.parse` would silently keep the last, so that
 * a record is not what its writer reads in it. The text must be valid JSON.
 */
export function duplicateKey(json: string): string | null {
  const keysOfOpen: Set<string>[] = [];
  let before = '';
  for (const [token] of json.matchAll(STRUCTURE)) {
    if (token === '{' || token === '[') keysOfOpen.push(new Set());
    if (token === '}' || token === ']') keysOfOpen.pop();
    const key = token === ':' ? String(JSON.parse(before)) : null;
    const keys = keysOfOpen.at(-1);
    if (key !== null && keys?.has(key)) return key;
    if (key !== null) keys?.add(key);
    before = token;
  }
  return null;
}
