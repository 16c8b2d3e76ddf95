/**
 * Gives the first characters of a text as a text of its own. V8 lets a part of a text refer to the whole one: the first
 * 200 characters of a message would keep all its 250,000 in memory.
 */
export function ownText(text: string, maxLength: number): string {
  return Buffer.from(text.slice(0, maxLength)).toString();
}
