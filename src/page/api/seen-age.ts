import { gatewayNowMs } from '../show/clock.ts';
import { missingSinceMs } from './live.ts';

/** A person did not see a change that came a moment before the tap. */
const PERCEPTION_MS = 1_000;

/** Since when open sheets, and toasts whose Undo was pressed, show what they show, by the gateway's clock. */
const shownSince: number[] = [];

/** Counts the age of the shown data from now, when a sheet opens, until the returned function is called. */
export function seeFromNow(): () => void {
  return seeFrom(gatewayNowMs());
}

/** Counts the age of the shown data from a time of the gateway's clock, until the returned function is called. */
export function seeFrom(sinceMs: number): () => void {
  shownSince.push(sinceMs);
  return () => {
    shownSince.splice(shownSince.indexOf(sinceMs), 1);
  };
}

/** The age of what the person sees, in milliseconds. */
export function seenAgeMs(): number {
  const nowMs = gatewayNowMs();
  const oldestMs = Math.min(nowMs - PERCEPTION_MS, missingSinceMs() ?? nowMs, ...shownSince);
  return Math.round(nowMs - oldestMs);
}
