import { expect, it } from 'vitest';
import type { ShiftRecord } from '../../../src/domain/machine/records.ts';
import { receivedMachineId } from '../../../src/domain/sync/received-id.ts';
import type { Store, StoreRecord } from '../../../src/flows/store-ports.ts';
import { calendarOf } from '../../domain/machine/machine-under-test.ts';
import { FORWARDING, openedBatch, openForwardingStore } from './forwarding/queued-records.ts';
import { openTestStore, point, RF1, START_AT, variables } from './open-test-store.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
const calendar = calendarOf('UTC', ['06:00', '14:00', '22:00']);
const RECEIVED_RF1 = receivedMachineId(FORWARDING.gatewayId, RF1);

/** A clock that was `wrongMs` off since an hour ago, by a computer that was started then. */
function corrected(wrongMs: number, now: number) {
  const sinceAt = START_AT - HOUR_MS + wrongMs;
  const shifts = [calendar.shiftAt(START_AT)];
  return { deltaMs: -wrongMs, sinceAt, untilAt: now + wrongMs, shifts };
}

function shiftAt(at: number, goodParts: number, readAt = at): StoreRecord {
  const { shiftDate, shiftName } = calendar.shiftAt(at);
  const times = { runningMs: 60_000, stoppedMs: 0, downMs: 0, faultMs: 0, overrideMs: 0, offlineMs: 0 };
  const totals = { goodParts, badParts: 0, cycles: goodParts, ...times };
  const reading = { at: readAt, mSecSinceBoot: 1, cycle: goodParts, goodPart: goodParts, badPart: 0 };
  return { kind: 'shift', shift: { machineId: RF1, shiftDate, shiftName, totals, reading }, at };
}

function downtimeAt(downtimeId: string, startedAt: number, endedAt: number): StoreRecord {
  const nobody = { reasonId: null, note: null, userName: null };
  return { kind: 'downtime', downtime: { downtimeId, machineId: RF1, startedAt, endedAt, ...nobody } };
}

/** Sends all that waits to the central server. */
async function forward(store: Store, central: Store): Promise<void> {
  for (let batch = await store.outgoingBatch(); batch !== null; batch = await store.outgoingBatch()) {
    const reading = await central.readBatch({ bytes: batch.body, isGzip: true });
    if (reading.kind === 'refused') throw new Error(reading.reason);
    await central.applyBatch(reading.ticket, { refused: [], principal: 'plant', at: START_AT });
    await store.write([{ kind: 'batchAcknowledged', digest: batch.digest, refused: [], at: START_AT }]);
  }
}

async function partsOf(store: Store, of: Parameters<Store['shifts']>[0], at: number): Promise<number | undefined> {
  const { shiftDate, shiftName } = calendar.shiftAt(at);
  const shifts: readonly ShiftRecord[] = await store.shifts(of, shiftDate);
  return shifts.find((shift) => shift.shiftName === shiftName)?.totals.goodParts;
}

it.each([
  ['a day ahead', DAY_MS],
  ['in 1970', HOUR_MS + 20_000 - START_AT],
])(
  'D-04 D-27 the central server gets production and downtimes of a clock that was %s again, the wrong shift with less',
  async (_, wrongMs) => {
    const { store } = await openForwardingStore();
    const { store: central } = await openTestStore();
    const wrong = START_AT + wrongMs;
    await store.write([
      shiftAt(wrong, 100),
      downtimeAt('D-1', wrong - 1_000, wrong),
      downtimeAt('D-2', START_AT - 30 * DAY_MS, wrong),
    ]);
    await forward(store, central);
    expect(await partsOf(central, RECEIVED_RF1, wrong)).toBe(100);
    store.clockCorrected(corrected(wrongMs, START_AT));
    await store.synced();
    await forward(store, central);
    for (const [at, of] of [
      [store, RF1],
      [central, RECEIVED_RF1],
    ] as const) {
      expect(await partsOf(at, of, wrong)).toBe(0);
      expect(await partsOf(at, of, START_AT)).toBe(100);
      const downtimes = await at.downtimes(of, { uncategorizedOnly: false, limit: 10 });
      expect(downtimes.map(({ startedAt, endedAt }) => [startedAt, endedAt])).toEqual([
        [START_AT - 1_000, START_AT],
        // It began before the boot, by a clock that was right.
        [START_AT - 30 * DAY_MS, START_AT],
      ]);
    }
  },
);

it('D-04 a correction of less than a minute moves no production, and sends nothing again', async () => {
  const { store } = await openForwardingStore();
  const { store: central } = await openTestStore();
  await store.write([shiftAt(START_AT, 100), downtimeAt('D-1', START_AT - 1_000, START_AT)]);
  await forward(store, central);
  store.clockCorrected({ ...corrected(30_000, START_AT), shifts: [] });
  await store.synced();
  expect(await store.outgoingBatch()).toBeNull();
  expect(await partsOf(store, RF1, START_AT)).toBe(100);
});

it('D-04 production that moves into a shift whose own production moves on stays by hour and in the totals', async () => {
  const { store } = await openTestStore();
  const [first, second, third] = [START_AT, START_AT + 8 * HOUR_MS, START_AT + 16 * HOUR_MS].map(calendar.shiftAt);
  const at = (shift: typeof first, goodParts: number, recordedAt: number) =>
    ({ ...shiftAt(shift?.startMs ?? 0, goodParts), at: recordedAt }) as StoreRecord;
  // The second shift's row begins at the moment of the first one's.
  await store.write([at(first, 10, START_AT), at(second, 20, START_AT), at(second, 30, START_AT + 10 * MINUTE_MS)]);
  const deltaMs = (second?.endMs ?? 0) - 5 * MINUTE_MS - START_AT;
  const shifts = [first, second, third].flatMap((shift) => shift ?? []);
  store.clockCorrected({ deltaMs, sinceAt: START_AT - HOUR_MS, untilAt: START_AT + 10 * MINUTE_MS, shifts });
  await store.synced();
  const { shiftDate = '' } = second ?? {};
  const made = [10 + 15, 15];
  const quarters = await store.quarters(RF1, shiftDate);
  expect(quarters.map(({ shiftName, goodParts }) => [shiftName, goodParts])).toEqual([
    [second?.shiftName, made[0]],
    [third?.shiftName, made[1]],
  ]);
  const totals = await store.shifts(RF1, shiftDate);
  expect(totals.map(({ totals: { goodParts } }) => goodParts)).toEqual([0, ...made]);
});

it('D-04 D-27 the counter reading of a wrong shift is corrected with it, and that of an earlier boot is not', async () => {
  const { store } = await openForwardingStore();
  const earlierAt = START_AT - 20 * DAY_MS;
  await store.write([shiftAt(START_AT + DAY_MS, 100), shiftAt(START_AT - DAY_MS, 7, earlierAt)]);
  store.clockCorrected(corrected(DAY_MS, START_AT));
  await store.synced();
  const records = openedBatch(await store.outgoingBatch()).records;
  const readings = records.flatMap((record) => (record.kind === 'shift' ? [record.shift.reading?.at] : []));
  // The right shift has none yet: the machine reports it with its next totals.
  expect(readings).toEqual([START_AT, earlierAt, undefined]);
});

it.each([
  ['a day ahead', DAY_MS],
  ['years behind', -2_000 * DAY_MS],
])(
  'D-04 VAR-03 variables of a clock that was %s are found, and sent, under the right shift date',
  async (_, wrongMs) => {
    const { store } = await openForwardingStore();
    const at = [START_AT, START_AT + 1, Date.parse('2026-03-05T05:59:59Z'), Date.parse('2026-03-05T06:00:00Z')];
    const points = at.map((time, value) => {
      const { shiftDate } = calendar.shiftAt(time + wrongMs);
      return { ...point(value, time + wrongMs), shiftDate };
    });
    await store.write([variables(points)]);
    const now = at.at(-1) ?? START_AT;
    const shifts = Array.from({ length: 4 }, (__, place) => calendar.shiftAt(START_AT + place * 8 * HOUR_MS));
    store.clockCorrected({ ...corrected(wrongMs, now), shifts });
    await store.write([variables([{ ...point(9, now + 1), shiftDate: '2026-03-05' }])]);
    const found = async (shiftDate: string) =>
      (await store.variablePoints(RF1, 'lineSpeed', { shiftDate })).points.map(({ value }) => value);
    expect(await found('2026-03-04')).toEqual([0, 1, 2]);
    expect(await found('2026-03-05')).toEqual([3, 9]);
    expect(await found(calendar.shiftAt(START_AT + wrongMs).shiftDate)).toEqual(wrongMs === DAY_MS ? [3, 9] : []);
    const page = await store.pointsPage('2026-03-05', 100);
    expect(page).toMatchObject({ olderRows: [1], posts: [{ values: { lineSpeed: 9 } }] });
    const sent = openedBatch(await store.outgoingBatch()).points;
    expect(sent.map(({ shiftDate, value }) => [shiftDate, value])).toEqual([
      ['2026-03-04', [0, 1, 2]],
      ['2026-03-05', [3, 9]],
    ]);
  },
);
