import { LIMITS } from './limits.ts';

/** The fields of a JSON object; null if the text is not one. */
export function fieldsOf(text: string): Readonly<Record<string, unknown>> | null {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? { ...value } : null;
  } catch {
    return null;
  }
}

/** Text on one line that is not too long; null if empty. */
export function oneLine(words: unknown): string | null {
  if (typeof words !== 'string') return null;
  const line = words.replace(/\p{Cc}+/gu, ' ').trim();
  if (line === '') return null;
  return line.length > LIMITS.messageLength ? `${line.slice(0, LIMITS.messageLength)}…` : line;
}
