import fc from 'fast-check';
import { expect, it } from 'vitest';
import {
  decodeBlock,
  encodeBlock,
  MAX_BLOCK_BYTES,
  MAX_BLOCK_POINTS,
} from '../../../../../src/adapters/store/thread/variables/block-codec.ts';

const steps = fc.array(fc.tuple(fc.nat({ max: 3_600_000 }), fc.double({ noNaN: true })), {
  minLength: 1,
  maxLength: 600,
});

it('VAR-04 unpacking gives back exactly the packed points, for any number of blocks', () => {
  fc.assert(
    fc.property(fc.nat({ max: 4e12 }), steps, (startAt, points) => {
      const at: number[] = [];
      for (const [step] of points) at.push((at.at(-1) ?? startAt) + step);
      const value = points.map(([, number]) => number);
      const unpacked: { at: number[]; value: number[] } = { at: [], value: [] };
      for (let from = 0; from < at.length; ) {
        const { bytes, count } = encodeBlock({ at, value }, from, at.length);
        expect(count).toBeGreaterThan(0);
        expect(count).toBeLessThanOrEqual(MAX_BLOCK_POINTS);
        expect(bytes.byteLength).toBeLessThanOrEqual(MAX_BLOCK_BYTES);
        const block = decodeBlock(bytes, at[from] ?? 0, count);
        unpacked.at.push(...block.at);
        unpacked.value.push(...block.value);
        from += count;
      }
      expect(unpacked).toEqual({ at, value });
    }),
  );
});

it('a point of a steady series takes nine bytes', () => {
  const at = Array.from({ length: 200 }, (_, index) => 1_000_000 + index * 500);
  const { bytes, count } = encodeBlock({ at, value: at.map(Math.sqrt) }, 0, at.length);
  expect(count).toBe(200);
  expect(bytes.byteLength / count).toBeLessThan(9.05);
});
