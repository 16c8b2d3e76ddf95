import { missingSinceMs } from './live.ts';

/** A person did not see a change that came a moment before the tap. */
const PERCEPTION_MS = 1_000;

/**
 * The times since which open sheets, and toasts whose Undo was pressed, have shown their content. The times are of the
 * browser's clock: it goes on while the computer sleeps, and no answer of the gateway corrects it.
 */
const shownSinceMs: number[] = [];

/** Counts the age of the shown data from now, when a sheet opens, until the returned function is called. */
export function seeFromNow(): () => void {
  return seeFrom(Date.now());
}

/** Counts the age of the shown data from a time of the browser's clock, until the returned function is called. */
export function seeFrom(sinceMs: number): () => void {
  shownSinceMs.push(sinceMs);
  return () => {
    shownSinceMs.splice(shownSinceMs.indexOf(sinceMs), 1);
  };
}

/** The age of what the person sees, in milliseconds. */
export function seenAgeMs(): number {
  const sinceMs = missingSinceMs();
  const ofLine = sinceMs === null ? 0 : Date.now() - sinceMs;
  const ofShown = shownSinceMs.map((shownMs) => Date.now() - shownMs);
  return Math.round(Math.max(PERCEPTION_MS, ofLine, ...ofShown));
}
