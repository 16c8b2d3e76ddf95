import { gatewayNowMs } from '../show/clock.ts';
import { line } from './live.ts';

/** A person did not see a change that came a moment before the tap. */
const PERCEPTION_MS = 1_000;

/** When each open sheet was opened. */
const opened: number[] = [];

/** Counts the age of the shown data from now, when a sheet opens, until the returned function is called. */
export function seeFromNow(): () => void {
  const at = performance.now();
  opened.push(at);
  return () => {
    opened.splice(opened.indexOf(at), 1);
  };
}

/** The age of what the person sees, in milliseconds. */
export function seenAgeMs(): number {
  const [oldest] = opened;
  const ofSheet = oldest === undefined ? 0 : performance.now() - oldest;
  const ofLine = line.value.kind === 'cut' ? gatewayNowMs() - line.value.sinceMs : 0;
  return Math.round(Math.max(PERCEPTION_MS, ofSheet, ofLine));
}
