import { gunzipSync } from 'node:zlib';
import { expect, it } from 'vitest';
import { gzipInSlices } from '../../../../../src/adapters/store/thread/forwarding/gzip-in-slices.ts';

const MEMBER_BYTES = 262_144;

it.each([1, MEMBER_BYTES - 1, MEMBER_BYTES, MEMBER_BYTES + 1, 3 * MEMBER_BYTES + 7])(
  'D-27 %i bytes are the same after unpacking, and other work passes while they are compressed',
  async (length) => {
    const bytes = Buffer.from(Array.from({ length }, (_, index) => (index * index) % 251));
    let turns = 0;
    const turn = () => {
      turns += 1;
      turning = setImmediate(turn);
    };
    let turning = setImmediate(turn);
    const packed = await gzipInSlices(bytes);
    clearImmediate(turning);
    expect(Buffer.compare(gunzipSync(packed), bytes)).toBe(0);
    expect(turns).toBeGreaterThanOrEqual(Math.floor(length / MEMBER_BYTES));
  },
);
