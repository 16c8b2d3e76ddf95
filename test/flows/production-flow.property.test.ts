import path from 'node:path';
import Database from 'better-sqlite3';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { createShiftCalendar } from '../../src/domain/shift/shift-calendar.ts';
import { createWorkPlan } from '../../src/domain/shift/work-plan.ts';
import { ProductionFlow } from '../../src/flows/production/production-flow.ts';
import type { Store, StoreRecord } from '../../src/flows/store-ports.ts';
import { newDataDir, openTestStore, RF1 } from '../adapters/store/open-test-store.ts';
import { FloorUnderTest, machine as plantMachine } from './floor-under-test.ts';

const HOUR_MS = 3_600_000;
const DATE = '2026-03-04';
const DAY = { from: DATE, to: DATE, machineId: null, area: null, shift: null };
const START_AT = Date.parse(`${DATE}T00:00:00Z`);
const HOURS_OF_SHIFT = 8;
const PARTS_PER_HOUR = 60;
const NO_TIMES = { runningMs: 0, stoppedMs: 0, downMs: 0, faultMs: 0, overrideMs: 0, offlineMs: 0 };
const SHIFTS = {
  timeZone: 'UTC',
  shifts: ['00:00', '08:00', '16:00'].map((start, place) => ({ name: `Shift ${place}`, start })),
};

/** A gateway at some time of the day, whose only machine runs and makes 60 parts an hour. */
function productionAt(store: Store, wallMs: number): ProductionFlow {
  const made = createShiftCalendar(SHIFTS);
  if (!made.ok) throw new Error('the shifts are wrong');
  const machine = plantMachine('RF-01', { targetPartsPerShift: 400 });
  const clock = { now: () => ({ monotonicMs: wallMs, wallMs }) };
  return new ProductionFlow({
    // The totals in memory are of another day: those of the store count.
    registry: new FloorUnderTest([machine]).registry,
    plant: { parts: () => [], part: () => undefined, downtimeReasons: () => [], machine: () => machine },
    ...{ store, calendar: made.calendar, plan: createWorkPlan(SHIFTS), clock },
  });
}

/** The totals of each shift that has begun. */
function totalsAt(hour: number): readonly StoreRecord[] {
  return SHIFTS.shifts.flatMap(({ name: shiftName }, place) => {
    const hours = Math.min(hour - place * HOURS_OF_SHIFT, HOURS_OF_SHIFT);
    if (hours < 0) return [];
    const goodParts = hours * PARTS_PER_HOUR;
    const totals = { ...NO_TIMES, goodParts, badParts: 0, cycles: goodParts };
    return [
      { kind: 'shift', at: START_AT + hour * HOUR_MS, shift: { machineId: RF1, shiftDate: DATE, shiftName, totals } },
    ];
  });
}

/** On the day after, each shift of the day has its times and its target. */
async function expectWholeShifts(store: Store): Promise<void> {
  const { rows } = await productionAt(store, START_AT + 30 * HOUR_MS).sums(DAY, 'turn');
  const figures = rows.map(({ key, goodParts, plannedSeconds, runningSeconds, targetParts }) => ({
    ...{ key, goodParts, plannedSeconds, runningSeconds, targetParts },
  }));
  const whole = { goodParts: 480, plannedSeconds: 28_800, runningSeconds: 28_800, targetParts: 400 };
  expect(figures).toEqual(SHIFTS.shifts.map(({ name }) => ({ key: `${DATE} ${name}`, ...whole })));
}

const RUNS: StoreRecord = {
  kind: 'span',
  span: { spanId: 'S-1', machineId: RF1, activity: 'running', startedAt: START_AT, endedAt: null },
};

const anyLook = fc.record({ hour: fc.integer({ min: 0, max: 23 }), isStart: fc.boolean() });

it('D-74 D-76 the sums of each shift are the same, whenever its day was looked at and the gateway was started', {
  timeout: 60_000,
}, async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(anyLook, { maxLength: 6 }), async (looks) => {
      const { store } = await openTestStore();
      await store.write([RUNS]);
      for (const { hour, isStart } of looks.toSorted((one, other) => one.hour - other.hour)) {
        await store.write(totalsAt(hour));
        const production = productionAt(store, START_AT + hour * HOUR_MS);
        await (isStart ? production.summariseFinished() : production.sums(DAY, 'turn'));
      }
      await store.write(totalsAt(24));
      await expectWholeShifts(store);
      await store.close();
    }),
    { numRuns: 30 },
  );
});

it('D-74 shifts that an earlier version kept without their times are added up again', async () => {
  const dataDir = newDataDir();
  const { store } = await openTestStore({ dataDir });
  await store.write([RUNS, ...totalsAt(24)]);
  await expectWholeShifts(store);
  await store.close();
  const database = new Database(path.join(dataDir, 'plantgate.db'));
  database.exec('UPDATE shift_summary SET starts_at = 0, ends_at = 0, is_planned = 0');
  database.close();
  await expectWholeShifts((await openTestStore({ dataDir })).store);
});
