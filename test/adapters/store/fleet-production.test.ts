import { randomBytes, randomUUID } from 'node:crypto';
import { afterAll, describe, expect, it } from 'vitest';
import type { ToldPlant } from '../../../src/domain/fleet/told-plant.ts';
import type { MachineId } from '../../../src/domain/machine/machine-names.ts';
import { createShiftCalendar } from '../../../src/domain/shift/shift-calendar.ts';
import type { BatchFact } from '../../../src/domain/sync/batch.ts';
import { FleetProduction } from '../../../src/flows/fleet-production/fleet-production.ts';
import { FleetStopLog } from '../../../src/flows/fleet-production/fleet-stop-log.ts';
import { ShiftAdder } from '../../../src/flows/fleet-production/shift-adder.ts';
import { ToldPlants } from '../../../src/flows/fleet-production/told-plants.ts';
import { endPostgresServer, STORES, type TestedStore } from '../../central/central-under-test.ts';
import { BatchSender } from '../../fakes/batch-sender.ts';
import { machine } from './open-test-store.ts';

afterAll(endPostgresServer);

/** A production day long over. The plants of the tests are in Chicago, where the day shift lasts from 06:00 to 18:00. */
const DATE = '2026-03-03';
const at = (time: string, date = DATE) => Date.parse(`${date}T${time}:00-06:00`);
const [RF1, RF2] = [machine('RF-01'), machine('RF-02')];
const SHIFTS = {
  timeZone: 'America/Chicago',
  shifts: [
    { name: 'Day', start: '06:00' },
    { name: 'Night', start: '18:00' },
  ],
};
const NORTH: ToldPlant = {
  ...SHIFTS,
  machines: [
    { machineId: RF1, name: 'Ridge line', area: 'Hall A', idealPartsPerMinute: null, targetPartsPerShift: 500 },
    { machineId: RF2, name: 'Trim line', area: 'Hall B', idealPartsPerMinute: null, targetPartsPerShift: null },
  ],
  reasons: [
    { id: 'DT-01', reason: 'Coil change', group: 'Planned', planned: null },
    { id: 'DT-20', reason: 'Hydraulics', group: 'Breakdown', planned: null },
  ],
  rates: [{ partId: 'P-100', machineId: null, idealPartsPerMinute: 1 }],
};
/** DT-20 stands for another reason here. */
const SOUTH: ToldPlant = {
  ...NORTH,
  reasons: [{ id: 'DT-20', reason: 'No operator', group: 'People', planned: null }],
};

const span = (machineId: MachineId, activity: 'running' | 'down' | 'fault', from: string, to: string): BatchFact => ({
  kind: 'span',
  span: { spanId: `${machineId}-${from}`, machineId, activity, startedAt: at(from), endedAt: at(to) },
});
const stop = (
  downtimeId: string,
  machineId: MachineId,
  reasonId: string | null,
  from: string,
  to: string,
): BatchFact => {
  const times = { startedAt: at(from), endedAt: at(to) };
  return { kind: 'downtime', downtime: { downtimeId, machineId, ...times, reasonId, note: null, userName: 'Ada' } };
};
const totals = (machineId: MachineId, goodParts: number, badParts: number, shiftName = 'Day'): BatchFact => {
  const times = { runningMs: 7, stoppedMs: 0, downMs: 0, faultMs: 0, overrideMs: 0, offlineMs: 0 };
  const own = { goodParts, badParts, cycles: goodParts + badParts, ...times };
  return { kind: 'shift', shift: { machineId, shiftDate: DATE, shiftName, totals: own } };
};
const session = (machineId: MachineId, partId: string, goodParts: number, badParts: number): BatchFact => {
  const times = { startedAt: at('06:00'), lastActiveAt: at('18:00'), endedAt: at('18:00') };
  const made = { goodParts, badParts, cycles: goodParts + badParts };
  const key = { sessionId: `${machineId}-${partId}`, machineId, jobNumber: 'J-1', partId, userId: 'Ada' };
  return { kind: 'workSession', session: { ...key, ...times, ...made } };
};

/** RF-01 runs 9 h, stands 2 h for a coil and 1 h for DT-20; RF-02 runs 6 h and stands 6 h without a reason, 1 h of it in a fault. */
const RECORDS: readonly BatchFact[] = [
  span(RF1, 'running', '06:00', '15:00'),
  span(RF1, 'down', '15:00', '18:00'),
  stop('D-1', RF1, 'DT-01', '15:00', '17:00'),
  stop('D-2', RF1, 'DT-20', '17:00', '18:00'),
  session(RF1, 'P-100', 480, 20),
  totals(RF1, 480, 20),
  span(RF2, 'running', '06:00', '12:00'),
  span(RF2, 'fault', '12:00', '13:00'),
  span(RF2, 'down', '13:00', '18:00'),
  stop('D-3', RF2, null, '12:00', '18:00'),
  session(RF2, 'P-200', 100, 0),
  totals(RF2, 100, 0),
];
const QUESTION = {
  from: DATE,
  to: DATE,
  gatewayId: null,
  machineId: null,
  area: null,
  shift: null,
  plants: 'all' as const,
  isUpToPresent: false,
};

/** A central server in its parts. */
function partsOf(store: TestedStore, wallMs = at('12:00', '2026-03-05')) {
  const clock = { now: () => ({ monotonicMs: performance.now(), wallMs }) };
  const made = createShiftCalendar({ timeZone: 'UTC', shifts: [{ name: 'All', start: '00:00' }] });
  if (!made.ok) throw new Error('no calendar');
  const plants = new ToldPlants({ store, calendar: made.calendar, clock });
  const plant = { downtimeReasons: () => [], part: () => undefined };
  const production = new FleetProduction({ store, plants, plant, clock });
  const log = new FleetStopLog({ production, store, clock });
  const adder = new ShiftAdder({ store, plants, clock });
  return { store, plants, production, log, adder };
}
type Parts = ReturnType<typeof partsOf>;

async function send({ store }: Parts, sender: BatchSender, facts: readonly BatchFact[]): Promise<void> {
  const batch = sender.queue(facts).batch();
  if (batch === null) throw new Error('nothing waits');
  const reading = await store.readBatch({ bytes: batch.gzip, isGzip: true });
  if (reading.kind === 'refused') throw new Error(reading.reason);
  const terms = { refused: [], principal: 'plant-1', at: at('12:00', '2026-03-05') };
  expect(await store.applyBatch(reading.ticket, terms)).toMatchObject({ kind: 'applied', answer: { refused: [] } });
  sender.acknowledged(batch.digest);
}

/** Two gateways that told their plants, and what both of them sent is added up. */
async function twoPlants(open: () => Promise<TestedStore>, southTells = SOUTH, nowAt?: number) {
  const parts = partsOf(await open(), nowAt);
  const [north, south] = ['north', 'south'].map((gatewayId) => new BatchSender(gatewayId, randomUUID));
  if (north === undefined || south === undefined) throw new Error('no sender');
  for (const sender of [north, south]) await send(parts, sender, RECORDS);
  const { gatewayId, stream } = south;
  await parts.store.write([{ kind: 'nameTaken', gatewayId, stream, principal: 'plant-1', plantId: 'tulsa' }]);
  await parts.plants.take('north', 'n-1', NORTH);
  await parts.plants.take('south', 's-1', southTells);
  await parts.adder.addUp();
  return { ...parts, north, south };
}

describe.each(STORES)('$name: the production of gateways', ({ open }) => {
  it('D-105 is added up as the gateway adds it up, which tells its plan, rates and targets', async () => {
    const { production } = await twoPlants(open);
    const { rows, total } = await production.sums({ ...QUESTION, gatewayId: 'north' }, 'machine');
    expect(rows.map(({ key, name }) => [key, name])).toEqual([
      ['north/RF-01', 'Ridge line'],
      ['north/RF-02', 'Trim line'],
    ]);
    expect(rows[0]).toMatchObject({
      ...{ goodParts: 480, badParts: 20, targetParts: 500, targetedGoodParts: 480 },
      ...{ plannedSeconds: 43_200, plannedStopSeconds: 7_200, unplannedStopSeconds: 3_600, runningSeconds: 32_400 },
      ...{ availability: 0.9, qualityRatio: 0.96, effectiveness: 0.9259, oeeIndex: 0.8 },
      ...{ breakdowns: 1, breakdownSeconds: 3_600, topReasonId: 'DT-20', topReason: 'Hydraulics' },
    });
    expect(rows[1]).toMatchObject({ oeeIndex: null, targetParts: null, topReasonId: null, topReasonSeconds: 21_600 });
    expect(total).toMatchObject({ goodParts: 580, plannedSeconds: 86_400, topReasonSeconds: 21_600 });
  });

  it.each([
    ['plant', ['default', 'tulsa']],
    ['gateway', ['north', 'south']],
    ['machine', ['north/RF-01', 'north/RF-02', 'south/RF-01', 'south/RF-02']],
    ['area', ['Hall A', 'Hall B']],
    ['shift', ['Day']],
    ['turn', [`${DATE} Day`]],
    ['day', [DATE]],
    ['week', ['2026-03-02']],
    ['month', ['2026-03']],
  ] as const)('D-105 by %s adds up to the same total', async (by, keys) => {
    const { production } = await twoPlants(open);
    const { rows, total } = await production.sums(QUESTION, by);
    expect(rows.map(({ key }) => key)).toEqual(keys);
    expect(total).toMatchObject({ goodParts: 1_160, runningSeconds: 108_000 });
    expect(rows.reduce((sum, { goodParts }) => sum + goodParts, 0)).toBe(1_160);
    expect(rows.reduce((sum, { unplannedStopSeconds }) => sum + unplannedStopSeconds, 0)).toBe(
      total.unplannedStopSeconds,
    );
  });

  it('D-108 has of each plant the reason that cost most, and its stops', async () => {
    const { production } = await twoPlants(open);
    const tulsa = { key: 'tulsa', goodParts: 580, topReasonId: null, topReasonSeconds: 21_600 };
    expect((await production.sums(QUESTION, 'plant')).rows).toMatchObject([{ key: 'default' }, tulsa]);
    const asked = { ...QUESTION, plants: new Set(['tulsa']) };
    expect((await production.sums(asked, 'gateway')).rows).toMatchObject([{ ...tulsa, key: 'south' }]);
    const stops = await production.stops(QUESTION, 'plant', false);
    expect(stops.rows).toMatchObject([
      { key: 'default', count: 3, seconds: 32_400 },
      { key: 'tulsa', count: 3, seconds: 32_400 },
    ]);
  });

  it('D-105 has the stops of all gateways by reason; an id that means something else at one stands apart', async () => {
    const { production } = await twoPlants(open);
    const { rows, total } = await production.stops(QUESTION, 'reason', true);
    expect(rows.map(({ key, name, seconds, plannedSeconds }) => [key, name, seconds, plannedSeconds])).toEqual([
      [null, null, 43_200, 0],
      // South tells nothing of DT-01, so it is no planned one there.
      ['DT-01', 'Coil change', 14_400, 7_200],
      ['DT-20', 'Hydraulics', 3_600, 0],
      ['south/DT-20', 'No operator', 3_600, 0],
    ]);
    expect(total).toMatchObject({ count: 6, secondsBefore: 0 });
    const byGateway = await production.stops(QUESTION, 'gateway', false);
    expect(byGateway.rows.map(({ key, seconds }) => [key, seconds])).toEqual([
      ['north', 32_400],
      ['south', 32_400],
    ]);
  });

  it('D-105 has the pieces by part, and shifts and machines that are asked for alone', async () => {
    const { production } = await twoPlants(open);
    const work = await production.work(QUESTION, 'part');
    expect(work.rows.map(({ key, goodParts, ratedParts }) => [key, goodParts, ratedParts])).toEqual([
      ['P-100', 960, 1_000],
      ['P-200', 200, 0],
    ]);
    const goodOf = async (question: object) =>
      (await production.sums({ ...QUESTION, ...question }, 'day')).total.goodParts;
    expect(await goodOf({ machineId: 'north/RF-02' })).toBe(100);
    expect(await goodOf({ area: 'Hall A' })).toBe(960);
    expect(await goodOf({ gatewayId: 'south', shift: 'Night' })).toBe(0);
    await expect(goodOf({ gatewayId: 'west' })).rejects.toMatchObject({ code: 'not-found' });
  });

  it('D-105 follows a later record, a changed reason, a removed stop and a changed plant', async () => {
    const parts = await twoPlants(open);
    const { production, adder, north, plants } = parts;
    const sums = async () => (await production.sums({ ...QUESTION, machineId: 'north/RF-01' }, 'day')).total;
    await send(parts, north, [stop('D-2', RF1, 'DT-01', '17:00', '18:00'), totals(RF1, 490, 20)]);
    await adder.addUp();
    expect(await sums()).toMatchObject({ plannedStopSeconds: 10_800, unplannedStopSeconds: 0, goodParts: 490 });
    await send(parts, north, [{ kind: 'downtimeRemoved', downtimeId: 'D-1' }]);
    await adder.addUp();
    expect(await sums()).toMatchObject({ plannedStopSeconds: 3_600, shortStopSeconds: 7_200 });
    await plants.take('north', 'n-2', { ...NORTH, reasons: [] });
    await adder.addUp();
    expect(await sums()).toMatchObject({ plannedStopSeconds: 0, unplannedStopSeconds: 3_600 });
  });

  it('D-105 records of one gateway that cannot be kept hold up no other one', async () => {
    const parts = await twoPlants(open);
    const { production, adder, north, south } = parts;
    // PostgreSQL refuses a key of more than 2,704 bytes that it cannot compress; SQLite keeps it.
    await send(parts, north, [stop('D-2', RF1, randomBytes(2_000).toString('base64'), '17:00', '18:00')]);
    await send(parts, south, [totals(RF1, 490, 20)]);
    await adder.addUp().catch((error: unknown) => expect(String(error)).toContain('gateway north: '));
    const { total } = await production.sums({ ...QUESTION, machineId: 'south/RF-01' }, 'day');
    expect(total.goodParts).toBe(490);
  });

  it('D-105 of a gateway that tells nothing has pieces and stops, and no OEE', async () => {
    const parts = partsOf(await open());
    await send(parts, new BatchSender('old', randomUUID), [...RECORDS, totals(RF1, 3, 0, 'All')]);
    await parts.adder.addUp();
    const { total } = await parts.production.sums(QUESTION, 'day');
    expect(total).toMatchObject({ goodParts: 583, plannedSeconds: 0, availability: null, oeeIndex: null });
    const { rows } = await parts.production.stops(QUESTION, 'reason', false);
    expect(rows.map(({ key, outsideSeconds }) => [key, outsideSeconds])).toEqual([
      ['DT-01', 7_200],
      ['DT-20', 3_600],
    ]);
  });

  it('D-105 has the log of stops and faults, the longest ones first or the newest', async () => {
    const { log } = await twoPlants(open);
    const any = { part: null, reasonId: null, text: null };
    const all = await log.log(QUESTION, any, 3);
    expect(all.total).toEqual({ count: 6, seconds: 64_800, faultSeconds: 7_200 });
    expect(all.rows.map(({ machineId, reason, partId }) => [machineId, reason, partId]).slice(0, 2)).toEqual(
      expect.arrayContaining([
        ['north/RF-01', 'Hydraulics', 'P-100'],
        ['south/RF-01', 'No operator', 'P-100'],
      ]),
    );
    const faults = await log.log({ ...QUESTION, gatewayId: 'north' }, { ...any, part: 'faults' }, 10);
    expect(faults.rows).toMatchObject([{ machineName: 'Trim line', faultSeconds: 3_600, shift: 'Day' }]);
    const longest = await log.longest(QUESTION, 'DT-01', 10);
    expect(longest.map(({ machineId, shiftDate }) => [machineId, shiftDate]).sort()).toEqual([
      ['north/RF-01', DATE],
      ['south/RF-01', DATE],
    ]);
    const apart = await log.longest(QUESTION, 'south/DT-20', 10);
    expect(apart.map(({ machineId }) => machineId)).toEqual(['south/RF-01']);
    const exported: string[] = [];
    for await (const page of log.exportLog(QUESTION, { ...any, text: 'trim' }))
      exported.push(...page.map(({ machineId, startedAt }) => `${machineId} ${startedAt}`));
    expect(exported).toEqual([
      'north/RF-02 2026-03-03T12:00:00.000-06:00',
      'south/RF-02 2026-03-03T12:00:00.000-06:00',
    ]);
  });

  it('D-105 at night has the present production day of each gateway', async () => {
    const allDay = { ...SOUTH, shifts: [{ name: 'Day', start: '00:00' }] };
    const { production, log } = await twoPlants(open, allDay, at('02:00', '2026-03-04'));
    const today = { ...QUESTION, from: '2026-03-04', to: '2026-03-04', isUpToPresent: true };
    const goodOf = async (question: typeof today) =>
      (await production.sums(question, 'gateway')).rows.map(({ key, goodParts }) => [key, goodParts]);
    // The night of the third lasts at North, and the fourth has begun at South.
    expect(await goodOf(today)).toEqual([['north', 580]]);
    expect(await goodOf({ ...today, from: DATE })).toEqual([
      ['north', 580],
      ['south', 580],
    ]);
    expect(await goodOf({ ...today, isUpToPresent: false })).toEqual([]);
    expect((await production.work(today, 'part')).total.goodParts).toBe(580);
    expect((await production.stops(today, 'reason', true)).total).toMatchObject({
      seconds: 32_400,
      secondsBefore: 32_400,
    });
    const { rows, total } = await log.log(today, { part: null, reasonId: null, text: null }, 10);
    expect([total.count, new Set(rows.map(({ machineId }) => machineId.slice(0, 5)))]).toEqual([3, new Set(['north'])]);
    const days: string[] = [];
    for await (const page of production.exportTotals({ ...today, from: DATE }))
      days.push(...page.map(({ shiftDate, machineId }) => `${shiftDate} ${machineId}`));
    expect(days).toEqual([`${DATE} north/RF-01`, `${DATE} north/RF-02`, `${DATE} south/RF-01`, `${DATE} south/RF-02`]);
  });

  it('D-105 exports the totals that the gateways counted', async () => {
    const { production } = await twoPlants(open);
    const rows: string[] = [];
    for await (const page of production.exportTotals({ ...QUESTION, from: '2026-03-02' }))
      rows.push(
        ...page.map(({ machineId, machineName, shift, goodParts }) =>
          [machineId, machineName, shift, goodParts].join(),
        ),
      );
    expect(rows).toEqual([
      'north/RF-01,Ridge line,Day,480',
      'north/RF-02,Trim line,Day,100',
      'south/RF-01,Ridge line,Day,480',
      'south/RF-02,Trim line,Day,100',
    ]);
  });
});
