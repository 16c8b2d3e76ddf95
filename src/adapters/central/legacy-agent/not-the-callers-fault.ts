import { LIMITS } from '../limits.ts';

/** Statuses whose fault lies with our key (401, 403, 407) or our rate (425, 429): nothing was done, and the request was valid. */
export const NOT_THE_CALLERS_FAULT: readonly number[] = [401, 403, 407, 425, 429];

/** The refusal of the gateway itself, for the incident. */
export function refusalOfUs(status: number): string {
  const remedy =
    status === 425 || status === 429
      ? 'it takes no more requests at present'
      : 'it does not take the access of the gateway';
  return `HTTP status ${status}: ${remedy}`;
}

/** Text on one line that is not too long; null if empty. */
export function oneLine(words: unknown): string | null {
  if (typeof words !== 'string') return null;
  const line = words.replace(/\p{Cc}+/gu, ' ').trim();
  if (line === '') return null;
  return line.length > LIMITS.messageLength ? `${line.slice(0, LIMITS.messageLength)}…` : line;
}
