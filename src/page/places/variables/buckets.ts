import { niceTop } from '../production/chart-scale.ts';

/** The values of an equal part of a time, as the gateway sums them up. */
export interface Bucket {
  readonly time: string;
  readonly min: number;
  readonly max: number;
  readonly mean: number;
}

/** A value range of an axis. */
export interface Range {
  readonly low: number;
  readonly high: number;
}

/** Where a time and a value lie in a drawing. */
export interface Scales {
  readonly x: (time: string) => number;
  readonly y: (value: number) => number;
}

/** Without values for longer than this many parts the curve is broken. */
export const MOST_MISSING = 8;

/** Buckets without a long pause between them. `partMs`: the length of a part. */
export function runsOf(buckets: readonly Bucket[], partMs: number): readonly (readonly Bucket[])[] {
  const runs: Bucket[][] = [];
  let beforeMs = Number.NEGATIVE_INFINITY;
  for (const bucket of buckets) {
    const atMs = Date.parse(bucket.time);
    if (atMs - beforeMs > MOST_MISSING * partMs) runs.push([]);
    runs.at(-1)?.push(bucket);
    beforeMs = atMs;
  }
  return runs;
}

/** The mean as a line. */
export function lineOf(runs: readonly (readonly Bucket[])[], { x, y }: Scales): string {
  return runs.map((run) => `M${run.map(({ time, mean }) => pointOf(x(time), y(mean))).join('L')}`).join('');
}

/** From the least to the greatest of each part. */
export function bandOf(runs: readonly (readonly Bucket[])[], { x, y }: Scales): string {
  return runs
    .map((run) => {
      const upper = run.map(({ time, max }) => pointOf(x(time), y(max)));
      const lower = run.map(({ time, min }) => pointOf(x(time), y(min))).reverse();
      return `M${[...upper, ...lower].join('L')}Z`;
    })
    .join('');
}

function pointOf(x: number, y: number): string {
  return `${x.toFixed(1)} ${y.toFixed(1)}`;
}

/** The least and the greatest value; null without any. */
export function extentOf(buckets: readonly Bucket[]): Range | null {
  if (buckets.length === 0) return null;
  return { low: Math.min(...buckets.map(({ min }) => min)), high: Math.max(...buckets.map(({ max }) => max)) };
}

/** An axis with round ends and a round middle that holds the values. */
export function roundAxis({ low, high }: Range): Range {
  const step = niceTop((high - low) / 2 || Math.abs(high) || 1);
  const start = Math.floor(low / step) * step;
  return start + 2 * step >= high ? { low: start, high: start + 2 * step } : { low: start, high: start + 4 * step };
}
