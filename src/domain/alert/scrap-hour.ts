import { MINUTE_MS } from '../time.ts';

/** The pieces of a shift so far. */
interface Pieces {
  readonly good: number;
  readonly bad: number;
}

/** A sample of what a machine made in its present shift, at a time of the monotonic clock. */
interface Sample extends Pieces {
  readonly atMs: number;
}

/** A machine's pieces of the last hour, sampled. */
export interface ScrapHour {
  readonly shift: string;
  readonly last: Pieces;
  /** The parts made up to each sample since the first one, the oldest first. */
  readonly samples: readonly Sample[];
}

const HOUR_MINUTES = 60;
/** Samples are this far apart: twelve of them hold an hour. */
const SAMPLE_MS = 5 * MINUTE_MS;
/** Fewer pieces say nothing about scrap. */
export const LEAST_PIECES = 20;

export function beginHour(shift: string, pieces: Pieces, nowMs: number): ScrapHour {
  return { shift, last: pieces, samples: [{ atMs: nowMs, good: 0, bad: 0 }] };
}

/** Notes the totals of a shift. A new shift begins at zero, and totals that fell add nothing. */
export function notePieces(hour: ScrapHour, shift: string, pieces: Pieces, nowMs: number): ScrapHour {
  const newest = hour.samples.at(-1) ?? { atMs: nowMs, good: 0, bad: 0 };
  const before = shift === hour.shift ? hour.last : { good: 0, bad: 0 };
  const good = newest.good + Math.max(0, pieces.good - before.good);
  const bad = newest.bad + Math.max(0, pieces.bad - before.bad);
  const samples = [...hour.samples.filter(({ atMs }) => nowMs - atMs <= HOUR_MINUTES * MINUTE_MS)];
  const previous = samples.at(-2);
  // The newest sample grows until it is five minutes away from the one before it.
  if (previous !== undefined && newest.atMs - previous.atMs < SAMPLE_MS) samples.pop();
  return { shift, last: pieces, samples: [...samples, { atMs: nowMs, good, bad }] };
}

/** The share of scrap in the last hour in percent; null if too little was made. */
export function scrapPercent({ samples }: ScrapHour): number | null {
  const [first] = samples;
  const last = samples.at(-1);
  if (first === undefined || last === undefined) return null;
  const bad = last.bad - first.bad;
  const pieces = last.good - first.good + bad;
  return pieces < LEAST_PIECES ? null : Math.round((bad / pieces) * 1_000) / 10;
}
