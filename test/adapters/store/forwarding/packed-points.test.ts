import fc from 'fast-check';
import { expect, it } from 'vitest';
import { rounds } from '../../../rounds.ts';
import { newDataDir, openTestCore, point, RF1, SHIFT_DATE, START_AT, type TestCore } from '../open-test-store.ts';
import { FORWARDING } from './queued-records.ts';

const EVERYTHING = { from: 0, to: START_AT * 2 };

async function storedValues(core: TestCore): Promise<number[]> {
  return [...(await core.variables.points(RF1, 'lineSpeed', EVERYTHING)).value].sort((left, right) => left - right);
}

function packAll(core: TestCore): void {
  while (core.packer.isPacking) core.packer.slice();
  core.packer.begin();
  while (core.packer.isPacking) core.packer.slice();
}

/** Forwards one page; gives its values. */
function forwardPage(core: TestCore, limit: number): number[] {
  const page = core.forwarding.points.page(SHIFT_DATE, limit);
  if (page !== null) core.write([{ kind: 'pointsSent', rows: page.rows }]);
  return page?.posts.flatMap(({ values }) => Object.values(values)) ?? [];
}

const rowsIn = (core: TestCore) => core.connection.prepare('SELECT count(*) FROM variable_recent').pluck().get();

const step = fc.oneof(
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('store' as const), count: fc.integer({ min: 1, max: 100 }) }) },
  { weight: 2, arbitrary: fc.constant({ kind: 'begin' as const }) },
  { weight: 5, arbitrary: fc.constant({ kind: 'slice' as const }) },
  {
    weight: 3,
    arbitrary: fc.record({ kind: fc.constant('forward' as const), limit: fc.integer({ min: 1, max: 99 }) }),
  },
  { weight: 1, arbitrary: fc.constant({ kind: 'restart' as const }) },
);

type Step = typeof step extends fc.Arbitrary<infer Kind> ? Kind : never;

/** A store in one directory through several runs, with all written and forwarded points. */
class Lives {
  readonly forwarded: number[] = [];
  readonly #dataDir = newDataDir();
  core = openTestCore(this.#dataDir, 'run', false, FORWARDING);
  written = 0;

  restart(): void {
    this.core.close();
    this.core = openTestCore(this.#dataDir, `run ${this.written} ${this.forwarded.length}`, false, FORWARDING);
  }

  take(now: Step): void {
    switch (now.kind) {
      case 'begin':
        this.core.packer.begin();
        return;
      case 'slice':
        this.core.packer.slice();
        return;
      case 'restart':
        this.restart();
        return;
      case 'forward':
        this.forwarded.push(...forwardPage(this.core, now.limit));
        return;
      case 'store':
        for (let row = 0; row < now.count; row += 1) {
          this.written += 1;
          this.core.store([point(this.written, START_AT + this.written)]);
        }
    }
  }
}

it('UP-02 D-27 each point is forwarded once and kept once in the history, for any order of packing and forwarding', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 30 }), async (steps) => {
      const lives = new Lives();
      for (const now of steps) lives.take(now);
      const expected = Array.from({ length: lives.written }, (_, index) => index + 1);
      expect(await storedValues(lives.core)).toEqual(expected);
      packAll(lives.core);
      const waiting = lives.written - lives.forwarded.length;
      expect([lives.core.forwarding.totals.of('batch').depth, rowsIn(lives.core)]).toEqual([waiting, waiting]);
      lives.restart();
      expect(lives.core.recent.count).toBe(0);
      expect(await storedValues(lives.core)).toEqual(expected);
      while (lives.forwarded.length < lives.written) lives.forwarded.push(...forwardPage(lives.core, 1_000));
      expect(lives.forwarded).toEqual(expected);
      expect(lives.core.forwarding.totals.of('batch')).toMatchObject({ depth: 0, bytes: 0 });
      expect(rowsIn(lives.core)).toBe(0);
      lives.core.close();
    }),
    { numRuns: rounds(25) },
  );
});
