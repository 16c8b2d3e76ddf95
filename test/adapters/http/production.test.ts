import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Downtime, Span, WorkSession } from '../../../src/domain/machine/records.ts';
import type { StoreRecord } from '../../../src/flows/store-ports.ts';
import { machine } from '../store/open-test-store.ts';
import { keyOf, machineOf, startGateway } from './gateway-under-test.ts';

/** A production day long over. The tests' plant is in Chicago, where the day shift lasts from 06:00 to 18:00. */
const DATE = '2026-03-03';
const RF1 = machine('RF-01');
const RF2 = machine('RF-02');
const at = (time: string, date = DATE) => Date.parse(`${date}T${time}:00-06:00`);

const span = (machineId: typeof RF1, activity: Span['activity'], from: string, to: string): StoreRecord => ({
  kind: 'span',
  span: { spanId: `${machineId}-${from}`, machineId, activity, startedAt: at(from), endedAt: at(to) },
});
const stop = (
  downtimeId: string,
  machineId: typeof RF1,
  reasonId: string | null,
  from: string,
  to: string,
): Downtime => ({
  downtimeId,
  machineId,
  startedAt: at(from),
  endedAt: at(to),
  reasonId,
  note: null,
  userName: null,
});
const totals = (machineId: typeof RF1, goodParts: number, badParts: number): StoreRecord => ({
  kind: 'shift',
  at: at('17:59'),
  shift: {
    machineId,
    shiftDate: DATE,
    shiftName: 'Day',
    totals: {
      goodParts,
      badParts,
      cycles: goodParts + badParts,
      runningMs: 0,
      stoppedMs: 0,
      downMs: 0,
      faultMs: 0,
      overrideMs: 0,
      offlineMs: 0,
    },
  },
});
const session = (machineId: typeof RF1, partId: string, goodParts: number, badParts: number): WorkSession => ({
  sessionId: `${machineId}-${partId}`,
  machineId,
  jobNumber: 'J-1',
  partId,
  userId: 'Ada',
  startedAt: at('06:00'),
  lastActiveAt: at('18:00'),
  endedAt: at('18:00'),
  goodParts,
  badParts,
  cycles: goodParts + badParts,
});

/** RF-01 runs 9 h, stands 2 h for a coil and 1 h for the hydraulics; RF-02 runs 6 h and stands 6 h without a reason. */
const RECORDS: readonly StoreRecord[] = [
  span(RF1, 'running', '06:00', '15:00'),
  span(RF1, 'down', '15:00', '18:00'),
  { kind: 'downtime', downtime: stop('D-1', RF1, 'DT-01', '15:00', '17:00') },
  { kind: 'downtime', downtime: stop('D-2', RF1, 'DT-20', '17:00', '18:00') },
  { kind: 'workSession', session: session(RF1, 'P-100', 480, 20) },
  totals(RF1, 480, 20),
  span(RF2, 'running', '06:00', '12:00'),
  span(RF2, 'down', '12:00', '18:00'),
  { kind: 'downtime', downtime: stop('D-3', RF2, null, '12:00', '18:00') },
  { kind: 'workSession', session: session(RF2, 'P-200', 100, 0) },
  totals(RF2, 100, 0),
];

let gate: Awaited<ReturnType<typeof startGateway>>;
beforeAll(async () => {
  gate = await startGateway({
    machines: [
      { ...machineOf('RF-01'), area: 'Hall A', targetPartsPerShift: 500 },
      { ...machineOf('RF-02'), area: 'Hall B' },
    ],
    plantFile: {
      parts: [{ partId: 'P-100', partName: 'Panel 100', idealPartsPerMinute: 1 }, { partId: 'P-200' }],
      downtimeReasons: [
        { id: 'DT-01', reason: 'Coil change', group: 'Planned' },
        { id: 'DT-20', reason: 'Hydraulics', group: 'Breakdown' },
      ],
    },
  });
  await gate.store.write(RECORDS);
});
afterAll(() => gate.close());

async function ask(path: string): Promise<{ total: Record<string, unknown>; rows: Record<string, unknown>[] }> {
  const { status, body, text } = await gate.as(keyOf('technician'), 'GET', `/api/local/production/${path}`);
  expect({ status, text: status === 200 ? '' : text }).toEqual({ status: 200, text: '' });
  return body as { total: Record<string, unknown>; rows: Record<string, unknown>[] };
}
const OF_DAY = `from=${DATE}&to=${DATE}`;

it('D-76: the sums of machines have times, pieces and key figures, and add up to the total', async () => {
  const { rows, total } = await ask(`sums?by=machine&${OF_DAY}`);
  expect(rows[0]).toMatchObject({
    key: 'RF-01',
    name: 'Rollformer RF-01',
    goodParts: 480,
    badParts: 20,
    targetParts: 500,
    plannedSeconds: 43_200,
    busySeconds: 36_000,
    runningSeconds: 32_400,
    plannedStopSeconds: 7_200,
    unplannedStopSeconds: 3_600,
    availability: 0.9,
    effectiveness: 0.9259,
    qualityRatio: 0.96,
    oeeIndex: 0.8,
    breakdowns: 1,
    mttrSeconds: 3_600,
    mtbfSeconds: 32_400,
    topReasonId: 'DT-20',
    topReason: 'Hydraulics',
    unratedPartIds: [],
  });
  expect(rows[1]).toMatchObject({
    key: 'RF-02',
    targetParts: null,
    availability: 0.5,
    oeeIndex: null,
    unratedPartIds: ['P-200'],
  });
  for (const field of [
    'goodParts',
    'badParts',
    'plannedSeconds',
    'runningSeconds',
    'unplannedStopSeconds',
    'ratedParts',
  ]) {
    expect([field, total[field]]).toEqual([field, rows.reduce((sum, row) => sum + Number(row[field]), 0)]);
  }
  expect(total).toMatchObject({ targetParts: 500, targetedGoodParts: 480, availability: 0.6818 });
});

it.each([
  ['area', ['Hall A', 'Hall B']],
  ['shift', ['Day']],
  ['turn', [`${DATE} Day`]],
  ['day', [DATE]],
  ['week', ['2026-03-02']],
  ['month', ['2026-03']],
])('D-76: sums are split by %s', async (by, keys) => {
  const { rows } = await ask(`sums?by=${by}&${OF_DAY}`);
  expect(rows.map(({ key }) => key)).toEqual(keys);
});

it.each([
  [
    'part',
    [
      ['P-100', 'Panel 100', 480],
      ['P-200', 'P-200', 100],
    ],
  ],
  ['job', [['J-1', null, 580]]],
  ['operator', [['Ada', null, 580]]],
])('D-75: pieces are split by %s', async (by, expected) => {
  const { rows } = await ask(`work?by=${by}&${OF_DAY}`);
  expect(rows.map(({ key, name, goodParts }) => [key, name, goodParts])).toEqual(expected);
});

it('D-74: stops are summed by reason, the costliest first, beside the days before', async () => {
  const { rows, total } = await ask(`stops?by=reason&compare=before&${OF_DAY}`);
  expect(
    rows.map(({ key, seconds, count, planned, secondsBefore }) => [key, seconds, count, planned, secondsBefore]),
  ).toEqual([
    [null, 21_600, 1, null, 0],
    ['DT-01', 7_200, 1, true, 0],
    ['DT-20', 3_600, 1, false, 0],
  ]);
  expect(total).toMatchObject({ count: 3, seconds: 32_400, plannedSeconds: 7_200 });
});

it('D-74: a stop that gets its reason later, is split or merged, changes the sums of its shift', async () => {
  const seconds = async () => {
    const { rows } = await ask(`stops?by=reason&machineId=RF-02&${OF_DAY}`);
    return rows.map(({ key, seconds, count }) => [key, seconds, count]);
  };
  expect(await seconds()).toEqual([[null, 21_600, 1]]);
  const put = (method: string, path: string, body: unknown) =>
    gate.as(keyOf('technician'), method, `/api/local${path}`, body);
  await put('PUT', '/downtimes/D-3/category', { reasonId: 'DT-20' });
  expect(await seconds()).toEqual([['DT-20', 21_600, 1]]);
  const halves = (await put('POST', '/downtimes/D-3/split', { at: `${DATE}T14:00:00-06:00` })).body as {
    downtimeId: string;
  }[];
  await put('PUT', '/downtimes/D-3/category', { reasonId: 'DT-01' });
  expect(await seconds()).toEqual([
    ['DT-01', 14_400, 1],
    ['DT-20', 7_200, 1],
  ]);
  await put('PUT', '/downtimes/D-3/category', { reasonId: 'DT-20' });
  const merged = await put('POST', '/downtimes/merge', { downtimeIds: halves.map(({ downtimeId }) => downtimeId) });
  expect(merged.status).toBe(200);
  expect(await seconds()).toEqual([['DT-20', 21_600, 1]]);
});

it('D-74: the sums follow a correction of the clock', async () => {
  const own = await startGateway();
  await own.store.write(RECORDS);
  const sums = async () => {
    const { body } = await own.as(
      keyOf('technician'),
      'GET',
      `/api/local/production/sums?by=day&from=2026-03-02&to=2026-03-03`,
    );
    const { rows } = body as { rows: { key: string; runningSeconds: number }[] };
    return rows.map(({ key, runningSeconds }) => [key, runningSeconds]);
  };
  expect(await sums()).toEqual([[DATE, 54_000]]);
  own.store.clockCorrected({ deltaMs: -3_600_000, sinceAt: at('00:00'), untilAt: at('23:59'), shifts: [] });
  // An hour of each machine's running lies before the shift now.
  expect(await sums()).toEqual([[DATE, 46_800]]);
  await own.close();
});

it('D-77: a change of the target counts from the next shift on', async () => {
  await ask(`sums?by=machine&${OF_DAY}`);
  const machineRecord = { ...machineOf('RF-01'), area: 'Hall A', targetPartsPerShift: 900 };
  await gate.as(keyOf('supervisor'), 'PUT', '/api/local/plant/machines/RF-01', machineRecord);
  const { rows } = await ask(`sums?by=machine&${OF_DAY}`);
  expect(rows[0]).toMatchObject({ targetParts: 500 });
});

it('D-76: sums are given as CSV with one line for each row', async () => {
  const path = `/api/local/production/sums?by=machine&format=csv&${OF_DAY}`;
  const { text } = await gate.as(keyOf('technician'), 'GET', path);
  const [head, first, ...others] = text.trim().split('\r\n');
  expect(head?.startsWith('key,name,goodParts,badParts,cycles,targetParts')).toBe(true);
  expect(first?.startsWith('RF-01,Rollformer RF-01,480,20,500')).toBe(true);
  expect(others).toHaveLength(1);
});

it.each([
  ['from=2026-03-04&to=2026-03-03', 'from: found "2026-03-04"'],
  ['from=2026-01-01&to=2026-12-31', 'from, to: found 365 days, expected at most 92 days'],
  [`${OF_DAY}&machineId=RF-99`, 'machineId: found "RF-99", expected the id of a machine'],
  [`${OF_DAY}&by=moon`, 'by'],
])('D-76: a question with %s is refused and says why', async (query, expected) => {
  const by = query.includes('by=') ? '' : '&by=machine';
  const { status, text } = await gate.as(keyOf('technician'), 'GET', `/api/local/production/sums?${query}${by}`);
  expect(status).toBe(400);
  expect(text).toContain(expected.replaceAll('"', '\\"'));
});
