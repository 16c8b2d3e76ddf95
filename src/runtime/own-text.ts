/**
 * Gives the first characters of a text as a text of its own. V8 lets a part of a text refer to the whole one: the first
 * 200 characters of a message would keep all its 250,000 in memory.
 */
export function ownText(text: string, maxLength: number): string {
  return Buffer.from(text.slice(0, maxLength)).toString();
}

/** Gives the first whole words of a longer text, followed by three dots, as a text of its own. */
export function ownSentence(text: string, maxLength: number): string {
  if (text.length <= maxLength) return ownText(text, maxLength);
  const beginning = text.slice(0, maxLength - 1);
  const blank = beginning.lastIndexOf(' ');
  return ownText(`${blank < maxLength / 2 ? beginning : beginning.slice(0, blank)}…`, maxLength);
}
