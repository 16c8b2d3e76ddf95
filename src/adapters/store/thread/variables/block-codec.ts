/**
 * A block's points as bytes: first the times, each as the difference of its step from the step before (a steady series
 * takes one byte a point), then the values as doubles. The first time is a column of the block and is not repeated.
 */

export interface PointColumns {
  readonly at: ArrayLike<number>;
  readonly value: ArrayLike<number>;
}

/** Two blocks of this size fill a page of 4 KiB. */
export const MAX_BLOCK_BYTES = 1_990;
/** Points in one block. */
export const MAX_BLOCK_POINTS = 256;
const VALUE_BYTES = 8;
/** The maximum bytes of a step's change: below 2^53, with its sign, in groups of 7 bits. */
const MAX_STEP_BYTES = 8;

export interface EncodedBlock {
  readonly bytes: Buffer;
  readonly count: number;
}

const scratch = Buffer.alloc(MAX_BLOCK_POINTS * MAX_STEP_BYTES);

/** Packs the points from `from` on, in time order, until the block is full or `to` is reached. */
export function encodeBlock(points: PointColumns, from: number, to: number): EncodedBlock {
  let length = 0;
  let count = 0;
  let previousAt = points.at[from] ?? 0;
  let previousStep = 0;
  while (from + count < to && count < MAX_BLOCK_POINTS) {
    const at = points.at[from + count] ?? 0;
    const step = at - previousAt;
    const nextLength = count === 0 ? length : writeSigned(scratch, length, step - previousStep);
    if (count > 0 && nextLength + (count + 1) * VALUE_BYTES > MAX_BLOCK_BYTES) break;
    length = nextLength;
    previousAt = at;
    previousStep = step;
    count += 1;
  }
  const bytes = Buffer.allocUnsafe(length + count * VALUE_BYTES);
  scratch.copy(bytes, 0, 0, length);
  for (let index = 0; index < count; index += 1) {
    bytes.writeDoubleLE(points.value[from + index] ?? Number.NaN, length + index * VALUE_BYTES);
  }
  return { bytes, count };
}

/** Gives the points of a block that starts at `startAt`, in time order. */
export function decodeBlock(bytes: Buffer, startAt: number, count: number): { at: Float64Array; value: Float64Array } {
  const at = new Float64Array(count);
  const value = new Float64Array(count);
  const valuesFrom = bytes.byteLength - count * VALUE_BYTES;
  let offset = 0;
  let time = startAt;
  let step = 0;
  for (let index = 0; index < count; index += 1) {
    if (index > 0) {
      let scale = 1;
      let folded = 0;
      let byte = 0;
      do {
        byte = bytes[offset] ?? 0;
        offset += 1;
        folded += (byte & 0x7f) * scale;
        scale *= 128;
      } while (byte >= 0x80);
      step += folded % 2 === 0 ? folded / 2 : -(folded + 1) / 2;
      time += step;
    }
    at[index] = time;
    value[index] = bytes.readDoubleLE(valuesFrom + index * VALUE_BYTES);
  }
  return { at, value };
}

/** Writes a signed integer in groups of 7 bits, small ones in one byte; gives the offset behind it. */
function writeSigned(target: Buffer, offset: number, number: number): number {
  let rest = number >= 0 ? number * 2 : -number * 2 - 1;
  let end = offset;
  while (rest >= 0x80) {
    target[end] = 0x80 | (rest % 128);
    rest = Math.floor(rest / 128);
    end += 1;
  }
  target[end] = rest;
  return end + 1;
}
