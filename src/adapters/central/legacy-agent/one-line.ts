import { LIMITS } from '../limits.ts';

/** Text on one line that is not too long; null if empty. */
export function oneLine(words: unknown): string | null {
  if (typeof words !== 'string') return null;
  const line = words.replace(/\p{Cc}+/gu, ' ').trim();
  if (line === '') return null;
  return line.length > LIMITS.messageLength ? `${line.slice(0, LIMITS.messageLength)}…` : line;
}
