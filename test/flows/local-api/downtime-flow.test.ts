import { expect, it } from 'vitest';
import type { Downtime } from '../../../src/domain/machine/records.ts';
import { DowntimeFlow } from '../../../src/flows/local-api/downtime-flow.ts';
import type { StoreRecord } from '../../../src/flows/store-ports.ts';
import { FloorUnderTest, machine } from '../floor-under-test.ts';

const CATEGORY = { reasonId: 'DT-01', note: null, userName: 'pat' };

/** A machine that stands still, in a store that calls `duringCommit` in each commit of an edit; it may reject. */
function stoppedMachine(duringCommit: () => void | Promise<void>) {
  const floor = new FloorUnderTest([machine('RF-01')]);
  let bootMs = 1_000;
  /** The machine reports, a second later, whether it runs. */
  const report = (running: boolean) => {
    floor.pass(1_000);
    bootMs += 1_000;
    floor.status('RF-01', { partId: 'P-1', running, mSecSinceBoot: bootMs });
  };
  const flow = new DowntimeFlow({
    registry: floor.registry,
    plant: { downtimeReasons: () => [{ id: 'DT-01', reason: 'Coil change', group: 'Planned', iconName: null }] },
    store: {
      downtime: async (downtimeId) => stored(floor, downtimeId),
      downtimes: async () => [],
      write: async (records) => {
        floor.records.push(...records);
        await duringCommit();
      },
      record: (records) => void floor.records.push(...records),
      synced: async () => duringCommit(),
    },
    clock: { now: () => floor.now },
    newId: () => 'new-id',
  });
  report(true);
  report(false);
  const { downtime } = floor.live('RF-01').state;
  if (downtime === null) throw new Error('no downtime opened');
  return { floor, flow, report, downtime };
}

/** A machine that stands still, and reports during the first commit of an edit whether it runs, once a second. */
function restlessMachine(reports: readonly boolean[]) {
  let left = reports;
  const under = stoppedMachine(() => {
    const due = left;
    left = [];
    for (const running of due) under.report(running);
  });
  return under;
}

function stored({ records }: FloorUnderTest, downtimeId: string): Downtime | null {
  const isOfIt = (record: StoreRecord) =>
    (record.kind === 'downtime' && record.downtime.downtimeId === downtimeId) ||
    (record.kind === 'downtimeRemoved' && record.downtimeId === downtimeId);
  const last = records.findLast(isOfIt);
  return last?.kind === 'downtime' ? last.downtime : null;
}

const COURSES: readonly (readonly [what: string, reports: readonly boolean[]])[] = [
  ['starts', [true]],
  ['starts and stops again', [true, false]],
  ['starts, stops and starts again', [true, false, true]],
  ['starts and stops twice', [true, false, true, false]],
];

it.each(COURSES)('D-07 a category is kept if the machine %s during its commit', async (_, reports) => {
  const { floor, flow, downtime } = restlessMachine(reports);
  const endedAt = floor.now.wallMs + 1_000;
  const categorized = { ...downtime, ...CATEGORY, endedAt };
  expect(await flow.categorize([downtime.downtimeId], CATEGORY)).toEqual([categorized]);
  expect(stored(floor, downtime.downtimeId)).toEqual(categorized);
});

it.each(COURSES)(
  'D-07 a machine that %s during the commit of a category goes on with its latest stop',
  async (_, reports) => {
    const { floor, flow, downtime } = restlessMachine(reports);
    await flow.categorize([downtime.downtimeId], CATEGORY);
    const { state } = floor.live('RF-01');
    const others = reports.filter((running) => !running).length;
    expect(state.uncategorized).toHaveLength(others);
    expect(state.downtime?.downtimeId === downtime.downtimeId).toBe(others === 0);
    expect(state.downtime?.endedAt === null).toBe(reports.at(-1) === false);
  },
);

it('D-07 a split is kept if the machine starts and stops again during its commit', async () => {
  const { floor, flow, report, downtime } = restlessMachine([true, false]);
  report(false);
  const [at, endedAt] = [downtime.startedAt + 500, floor.now.wallMs + 1_000];
  const parts = [
    { ...downtime, downtimeId: 'new-id', endedAt: at },
    { ...downtime, startedAt: at, endedAt },
  ];
  expect(await flow.split(downtime.downtimeId, at)).toEqual(parts);
  expect([stored(floor, 'new-id'), stored(floor, downtime.downtimeId)]).toEqual(parts);
});

it('D-07 an edit is made, and its machine knows it, if the disk fails after the commit in which the machine started', async () => {
  let commits = 0;
  const { floor, flow, report, downtime } = stoppedMachine(async () => {
    commits += 1;
    if (commits > 1) throw new Error('the disk is full');
    report(true);
  });
  const categorized = { ...downtime, ...CATEGORY, endedAt: floor.now.wallMs + 1_000 };
  expect(await flow.categorize([downtime.downtimeId], CATEGORY)).toEqual([categorized]);
  expect(stored(floor, downtime.downtimeId)).toEqual(categorized);
  expect(floor.live('RF-01').state.uncategorized).toEqual([]);
});
