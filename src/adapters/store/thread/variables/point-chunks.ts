import type { TimeRange, VariableBucket } from '../../../../flows/store-ports.ts';
import type { PointAnswer } from '../../protocol.ts';

/** Answers about points that are read chunk by chunk. */

/** The maximum number of points in one answer. */
const MAX_POINTS = 100_000;
/** Buckets of one answer. A question for more gets this many. */
const MAX_BUCKETS = 10_000;

export interface Chunk {
  readonly at: ArrayLike<number>;
  readonly value: ArrayLike<number>;
}

/** The newest points, oldest first, at most MAX_POINTS. The newest chunks come first. */
export async function newestOf(newestFirst: AsyncIterable<Chunk>): Promise<PointAnswer> {
  const chunks: Chunk[] = [];
  let count = 0;
  for await (const chunk of newestFirst) {
    chunks.push(chunk);
    count += chunk.at.length;
    if (count > MAX_POINTS) break;
  }
  return newest(chunks, count);
}

/** Equal parts of the range with their least, greatest and mean value; parts without points are left out. */
export async function bucketsOf(
  chunks: AsyncIterable<Chunk>,
  range: TimeRange,
  wantedBuckets: number,
): Promise<VariableBucket[]> {
  const buckets = Math.min(Math.max(1, Math.floor(wantedBuckets)), MAX_BUCKETS);
  const widthMs = (range.to - range.from) / buckets;
  const found = new Map<number, { min: number; max: number; sum: number; count: number }>();
  for await (const { at, value } of chunks) {
    for (let point = 0; point < at.length; point += 1) {
      const number = value[point] ?? Number.NaN;
      const index = Math.min(buckets - 1, Math.floor(((at[point] ?? 0) - range.from) / widthMs));
      const bucket = found.get(index);
      if (bucket === undefined) {
        found.set(index, { min: number, max: number, sum: number, count: 1 });
        continue;
      }
      bucket.min = Math.min(bucket.min, number);
      bucket.max = Math.max(bucket.max, number);
      bucket.sum += number;
      bucket.count += 1;
    }
  }
  const ordered = [...found.entries()].sort(([left], [right]) => left - right);
  return ordered.map(([index, { min, max, sum, count }]) => ({
    at: range.from + index * widthMs,
    min,
    max,
    mean: sum / count,
    count,
  }));
}

/** The points of a chunk that match. */
export function select(
  at: ArrayLike<number>,
  value: ArrayLike<number>,
  matches: (time: number, index: number) => boolean,
): Chunk {
  const isChosen = (index: number) => matches(at[index] ?? 0, index);
  let from = 0;
  while (from < at.length && isChosen(from)) from += 1;
  // Most chunks lie within the range as a whole.
  if (from === at.length) return { at, value };
  const chosen = Array.from({ length: from }, (_, index) => index);
  for (let index = from + 1; index < at.length; index += 1) if (isChosen(index)) chosen.push(index);
  return { at: chosen.map((index) => at[index] ?? 0), value: chosen.map((index) => value[index] ?? Number.NaN) };
}

function newest(chunks: readonly Chunk[], count: number): PointAnswer {
  const at = new Float64Array(count);
  const value = new Float64Array(count);
  let end = count;
  for (const chunk of chunks) {
    end -= chunk.at.length;
    at.set(chunk.at, end);
    value.set(chunk.value, end);
  }
  const first = Math.max(0, count - MAX_POINTS);
  const sorted = inTimeOrder(at, value);
  return { at: sorted.at.slice(first), value: sorted.value.slice(first), truncated: first > 0 };
}

function inTimeOrder(at: Float64Array<ArrayBuffer>, value: Float64Array<ArrayBuffer>) {
  if (at.every((time, index) => index === 0 || time >= (at[index - 1] ?? 0))) return { at, value };
  const order = Uint32Array.from(at.keys()).sort((left, right) => (at[left] ?? 0) - (at[right] ?? 0));
  return {
    at: at.map((_, index) => at[order[index] ?? 0] ?? 0),
    value: value.map((_, index) => value[order[index] ?? 0] ?? 0),
  };
}
