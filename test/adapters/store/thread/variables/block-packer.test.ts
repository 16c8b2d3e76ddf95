import fc from 'fast-check';
import { expect, it } from 'vitest';
import { rounds } from '../../../../rounds.ts';
import { machine, newDataDir, openTestCore, point, RF1, START_AT, type TestCore } from '../../open-test-store.ts';

const EVERYTHING = { from: 0, to: START_AT * 2 };
const NAMES = ['lineSpeed', 'motorTemp', 'oilTemp'];

async function storedValues(core: TestCore): Promise<number[]> {
  const answers = await Promise.all(NAMES.map((name) => core.variables.points(RF1, name, EVERYTHING)));
  return answers.flatMap(({ value }) => [...value]).sort((left, right) => left - right);
}

function packAll(core: TestCore): void {
  // The first round finishes the packing that was begun before.
  for (let round = 0; round < 2; round += 1) {
    while (core.packer.isPacking) core.packer.slice();
    core.packer.begin();
  }
  while (core.packer.isPacking) core.packer.slice();
}

const step = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({
      kind: fc.constant('store' as const),
      count: fc.integer({ min: 1, max: 60 }),
      jumpMs: fc.integer({ min: -2_000, max: 4_000_000 }),
      date: fc.constantFrom('2026-03-04', '2026-03-05'),
    }),
  },
  { weight: 2, arbitrary: fc.constant({ kind: 'begin' as const }) },
  { weight: 4, arbitrary: fc.constant({ kind: 'slice' as const }) },
  { weight: 1, arbitrary: fc.constant({ kind: 'restart' as const }) },
);

it('VAR-04 packing neither loses nor doubles a point, even if it is interrupted anywhere', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 25 }), async (steps) => {
      const dataDir = newDataDir();
      let core = openTestCore(dataDir);
      let at = START_AT;
      let value = 0;
      for (const now of steps) {
        if (now.kind === 'begin') core.packer.begin();
        if (now.kind === 'slice') core.packer.slice();
        if (now.kind === 'restart') {
          core.close();
          core = openTestCore(dataDir, `run ${value}`);
        }
        if (now.kind !== 'store') continue;
        at += now.jumpMs;
        const points = Array.from({ length: now.count }, () => {
          value += 1;
          at += value % 3;
          return { ...point(value, at, NAMES[value % NAMES.length]), shiftDate: now.date };
        });
        core.store(points);
      }
      const expected = Array.from({ length: value }, (_, index) => index + 1);
      expect(await storedValues(core)).toEqual(expected);
      packAll(core);
      expect(await storedValues(core)).toEqual(expected);
      expect(core.recent.count).toBe(0);
      core.close();
    }),
    { numRuns: rounds(25) },
  );
});

it('VAR-03 a block never holds two shift dates, two epochs or more than an hour', () => {
  const core = openTestCore(newDataDir());
  const minutes = Array.from({ length: 300 }, (_, minute) => ({
    ...point(minute, START_AT + minute * 60_000),
    shiftDate: minute < 200 ? '2026-03-04' : '2026-03-05',
  }));
  core.store(minutes);
  packAll(core);
  const blocks = core.connection
    .prepare<[], { day: number; start_at: number; end_at: number; count: number }>('SELECT * FROM variable_block')
    .all();
  expect(new Set(blocks.map(({ day }) => day)).size).toBe(2);
  expect(blocks.reduce((sum, { count }) => sum + count, 0)).toBe(300);
  expect(Math.max(...blocks.map(({ start_at, end_at }) => end_at - start_at))).toBeLessThanOrEqual(3_600_000);
});

it('packing fills the last block of a series before it begins another', () => {
  const core = openTestCore(newDataDir());
  for (let round = 0; round < 20; round += 1) {
    core.store(Array.from({ length: 10 }, (_, index) => point(index, START_AT + (round * 10 + index) * 100)));
    packAll(core);
  }
  expect(core.connection.prepare('SELECT count(*) AS blocks, sum(count) AS points FROM variable_block').get()).toEqual({
    blocks: 1,
    points: 200,
  });
});

it('a million points of a thousand series take 20 bytes each or less', { timeout: 60_000 }, () => {
  const core = openTestCore(newDataDir());
  const machines = Array.from({ length: 1_000 }, (_, index) => machine(`RF-${index}`));
  for (let second = 0; second < 1_000; second += 1) {
    core.store(
      machines.map((of, index) =>
        point(Math.sin(second + index) * 100, START_AT + second * 1_000 + (index % 17), 'lineSpeed', of),
      ),
    );
    if (second % 300 === 299) packAll(core);
  }
  packAll(core);
  const { databaseBytes } = core.checkpoints.statistics();
  expect(databaseBytes / 1_000_000).toBeLessThan(20);
});
