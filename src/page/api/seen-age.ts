import { missingSinceMs } from './live.ts';

/** A person did not see a change that came a moment before, and a call is on its way for a moment. */
const UNSEEN_MS = 1_000;

/** Something that is shown, and since when. */
interface Shown {
  /** By the browser's clock: it goes on while the computer sleeps, and no answer of the gateway corrects it. */
  sinceMs: number;
}

/** Open sheets, profiles that are edited, and toasts whose Undo was pressed. */
const shownThings = new Set<Shown>();

/** Counts the age of the shown data from now, when a sheet opens, until the returned function is called. */
export function seeFromNow(): () => void {
  const shown = seeFrom(Date.now());
  return () => leaveShown(shown);
}

/** Counts the age of the shown data from a time of the browser's clock, until `leaveShown`. */
export function seeFrom(sinceMs: number): Shown {
  const shown = { sinceMs };
  shownThings.add(shown);
  return shown;
}

export function leaveShown(shown: Shown): void {
  shownThings.delete(shown);
}

/**
 * The person was told of a change: the age of all shown things begins anew, so that the person may repeat the act.
 */
export function learnOfChange(): void {
  for (const shown of shownThings) shown.sinceMs = Date.now();
}

/** The age of what the person sees, in milliseconds. */
export function seenAgeMs(): number {
  const sinceMs = missingSinceMs();
  const ofLine = sinceMs === null ? 0 : Date.now() - sinceMs;
  const ofShown = [...shownThings].map((shown) => Date.now() - shown.sinceMs);
  return UNSEEN_MS + Math.max(0, ofLine, ...ofShown);
}
