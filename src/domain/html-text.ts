const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

/** Plain text as HTML. */
export function htmlText(plain: string): string {
  return plain.replace(/[&<>"]/g, (character) => ENTITIES[character] ?? character);
}
