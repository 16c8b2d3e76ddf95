/** Gives the next number of a sequence, 0 or more and below 1. */
export type Random = () => number;

const UINT32 = 2 ** 32;

/** The same seed gives the same sequence (mulberry32): a simulated plant behaves the same way twice. */
export function seededRandom(seed: number): Random {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / UINT32;
  };
}

export type Range = readonly [from: number, to: number];

export function between([from, to]: Range, random: Random): number {
  return from + (to - from) * random();
}

export function oneOf<Item>(first: Item, others: readonly Item[], random: Random): Item {
  return others[Math.floor(random() * (others.length + 1)) - 1] ?? first;
}
