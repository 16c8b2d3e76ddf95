import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { TokenBuckets } from '../../src/domain/token-buckets.ts';

const NAMES = ['a', 'b', 'c'] as const;

/** Buckets of one name at two nodes. */
class TwoNodes {
  readonly #nodes: readonly TokenBuckets[];
  readonly #nowMs: () => number;
  #untold: { readonly node: number; readonly atMs: number }[] = [];
  taken = 0;

  constructor(limit: { readonly capacity: number; readonly refillMs: number }, nowMs: () => number) {
    this.#nowMs = nowMs;
    this.#nodes = [0, 1].map((node) => {
      const onTaken = (_: string, tokens: number) => {
        this.taken += tokens;
        this.#untold.push({ node, atMs: nowMs() });
      };
      return new TokenBuckets({ ...limit, mostNames: 1, onTaken });
    });
  }

  tryTake(node: number): boolean {
    return this.#nodes[node]?.tryTake('a', this.#nowMs()) === true;
  }

  untoldTo(node: number): number {
    return this.#untold.filter((one) => one.node !== node).length;
  }

  tell(): void {
    for (const { node, atMs } of this.#untold) this.#nodes[1 - node]?.takenElsewhere('a', atMs, 1);
    this.#untold = [];
  }
}

describe('token buckets', () => {
  it('no name takes more than its capacity and its refills, and a name that waits long enough has a token', () => {
    const options = fc.record({
      capacity: fc.integer({ min: 1, max: 20 }),
      refillMs: fc.integer({ min: 1, max: 500 }),
    });
    const requests = fc.array(fc.tuple(fc.constantFrom(...NAMES), fc.nat(300)), { maxLength: 200 });
    fc.assert(
      fc.property(options, requests, ({ capacity, refillMs }, asked) => {
        const buckets = new TokenBuckets({ capacity, refillMs, mostNames: NAMES.length });
        const taken = new Map<string, number>();
        let nowMs = 0;
        for (const [name, pauseMs] of asked) {
          nowMs += pauseMs;
          if (!buckets.has(name, nowMs)) continue;
          buckets.take(name, nowMs);
          taken.set(name, (taken.get(name) ?? 0) + 1);
        }
        for (const count of taken.values()) expect(count).toBeLessThanOrEqual(capacity + nowMs / refillMs + 1e-6);
        for (const name of NAMES) expect(buckets.has(name, nowMs + refillMs + 1e-6)).toBe(true);
      }),
    );
  });

  it('D-113 two buckets of a name that tell each other take no more than one would, but for tokens that are not told yet', () => {
    const options = fc.record({
      capacity: fc.integer({ min: 1, max: 20 }),
      refillMs: fc.integer({ min: 1, max: 500 }),
    });
    const step = fc.record({ node: fc.constantFrom(0, 1), pauseMs: fc.nat(300), tells: fc.boolean() });
    fc.assert(
      fc.property(options, fc.array(step, { maxLength: 200 }), (limit, steps) => {
        let nowMs = 0;
        const nodes = new TwoNodes(limit, () => nowMs);
        for (const { node, pauseMs, tells } of steps) {
          nowMs += pauseMs;
          const most = limit.capacity + nowMs / limit.refillMs + nodes.untoldTo(node) + 1e-6;
          if (nodes.tryTake(node)) expect(nodes.taken).toBeLessThanOrEqual(most);
          if (tells) nodes.tell();
        }
      }),
    );
  });

  it('D-113 a forgotten name gives its tokens back to others, and no more than there are', () => {
    const told: number[] = [];
    const limit = { capacity: 3, refillMs: 1_000, mostNames: 2 };
    const here = new TokenBuckets({ ...limit, onTaken: (_, tokens) => void told.push(tokens) });
    const there = new TokenBuckets(limit);
    here.takenElsewhere('a', 0, 2);
    there.take('a', 0);
    there.take('a', 0);
    here.take('a', 0);
    here.forget('a');
    here.forget('b');
    expect(told).toEqual([1, -3]);
    for (const tokens of told) there.takenElsewhere('a', 0, tokens);
    expect([1, 2, 3, 4].map(() => there.tryTake('a', 0))).toEqual([true, true, true, false]);
  });

  it('a full memory forgets the name that took none for the longest; a forgotten name has all its tokens', () => {
    const buckets = new TokenBuckets({ capacity: 1, refillMs: 1_000, mostNames: 2 });
    for (const name of ['a', 'b', 'a', 'c']) buckets.take(name, 0);
    expect(['a', 'b', 'c'].map((name) => buckets.remembers(name))).toEqual([true, false, true]);
    buckets.forget('c');
    expect(['a', 'b', 'c'].map((name) => buckets.has(name, 0))).toEqual([false, true, true]);
  });
});
