import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Json, PLANT, Program, statusOf } from './program.ts';
import { RawDevice } from './raw-device.ts';

const DAY_MS = 86_400_000;
const INTERVAL_MS = 200;
const NOTICED_MS = 1_600;
const TOLERANCE_MS = 1_000;
const VALUE = 42;

let program: Program;
let device: RawDevice;
let timer: NodeJS.Timeout;
let asked = 0;
let startedAt = 0;
/** The time at which the downtime opened and the variable was measured, by the monotonic clock of this test. */
let happenedAt = 0;
const shiftDates = new Set<string>();

beforeAll(async () => {
  program = await Program.start({
    atHand: true,
    plant: PLANT,
    settings:
      'shifts: { timeZone: America/Chicago, shifts: [ { name: Day, start: "06:00" }, { name: Night, start: "18:00" } ] }\n',
  });
  device = await RawDevice.open(program.mqttPort, { clientId: 'RF-01', topicRoot: 'plant1/rollformer-1' });
  startedAt = performance.now();
  timer = setInterval(ask, INTERVAL_MS);
  await program.device('status', stopping(true));
  happenedAt = performance.now();
  await program.device('status', stopping(false));
  await program.device('vars', { machineId: 'RF-01', lineSpeed: VALUE });
  await pause(500);
});

afterAll(async () => {
  clearInterval(timer);
  device.drop();
  await program.end();
});

/**
 * RF-01 runs and makes a part with every status. RF-02 stands in override, and waits for the category of its downtime.
 */
function ask(): void {
  asked++;
  const mSecSinceBoot = asked * INTERVAL_MS;
  device.status(statusOf({ mSecSinceBoot, goodPart: 100 + asked, cycle: 10 + asked, partId: 'P-100' }));
  void program.device('status', stopping(false));
}

function stopping(running: boolean): object {
  return statusOf({
    machineId: 'RF-02',
    running,
    override: true,
    mSecSinceBoot: asked * INTERVAL_MS + (running ? 0 : 1),
    partId: 'P-100',
  });
}

async function wallNow(): Promise<number> {
  return (await program.ask({ kind: 'loopDelay' })).wallMs;
}

/** The difference between a time that the gateway noted and the time of that moment by its present clock. */
async function misplacedMs(time: string, atMs = happenedAt): Promise<number> {
  const expectedMs = (await wallNow()) - (performance.now() - atMs);
  return Math.abs(Date.parse(time) - expectedMs);
}

async function production(shiftDate?: string): Promise<Json> {
  const query = shiftDate === undefined ? '' : `?shiftDate=${shiftDate}`;
  return (await program.api('GET', `/machines/RF-01/production${query}`)).body;
}

async function around(wallMs: number): Promise<string> {
  const [from, to] = [wallMs - DAY_MS, wallMs + DAY_MS].map((at) => new Date(at).toISOString());
  return `from=${from}&to=${to}`;
}

const JUMPS: readonly (readonly [string, (wallMs: number) => number])[] = [
  ['a day ahead', (wallMs) => wallMs + DAY_MS],
  ['a day back', (wallMs) => wallMs - DAY_MS],
  ['to 1970', () => 30_000],
  ['to 2038, seconds before 32 bits are full', () => Date.parse('2038-01-19T03:14:05Z')],
  ['into the night in which the clocks go forward', () => Date.parse('2026-03-08T01:59:59-06:00')],
  ['into the night in which they go back', () => Date.parse('2026-11-01T01:59:59-05:00')],
  ['to the end of that night’s shift', () => Date.parse('2026-11-01T05:59:59-06:00')],
];

it.each(JUMPS)(
  'D-04 the wall clock jumps %s: no decision changes, times noted since boot are corrected, and later times are right',
  async (_, jump) => {
    shiftDates.add((await production()).shiftDate);
    const heard = device.commands.length;
    const wallMs = jump(await wallNow());
    await program.ask({ kind: 'setWallClock', wallMs });
    const measuredAt = performance.now();
    await program.device('vars', { machineId: 'RF-01', motorTemp: VALUE });
    await pause(NOTICED_MS);
    const { body: stopped } = await program.api('GET', '/machines/RF-02');
    expect(stopped).toMatchObject({
      decision: { message: 'Downtime categorization required' },
      uncategorizedDowntimes: 1,
    });
    expect(await misplacedMs(stopped.openDowntime.startedAt)).toBeLessThan(TOLERANCE_MS);
    const [downtime] = (await program.api('GET', '/machines/RF-02/downtimes')).body;
    expect(await misplacedMs(downtime.startedAt)).toBeLessThan(TOLERANCE_MS);
    expect(await misplacedMs(stopped.overrideSince)).toBeLessThan(TOLERANCE_MS);
    const range = await around(wallMs);
    const overrides = (await program.api('GET', `/machines/RF-02/overrides?${range}`)).body;
    expect(overrides).toEqual([{ startedAt: expect.any(String), endedAt: null }]);
    expect(await misplacedMs(overrides[0].startedAt)).toBeLessThan(TOLERANCE_MS);
    const { points } = (await program.api('GET', `/machines/RF-01/variables/lineSpeed?${range}`)).body;
    expect(points).toEqual([{ time: expect.any(String), value: VALUE }]);
    expect(await misplacedMs(points[0].time)).toBeLessThan(TOLERANCE_MS);
    const { body: meanwhile } = await program.api('GET', `/machines/RF-01/variables/motorTemp?${range}`);
    expect(await misplacedMs(meanwhile.points.at(-1).time, measuredAt)).toBeLessThan(TOLERANCE_MS);
    const messages = device.commands.slice(heard).map(({ command }) => command.message);
    expect(messages.length).toBeGreaterThanOrEqual(Math.floor(NOTICED_MS / INTERVAL_MS) - 1);
    expect([...new Set(messages)]).toEqual([null]);
    const timeline: Json[] = (await program.api('GET', `/machines/RF-01/timeline?${range}`)).body;
    expect(timeline.filter(({ startedAt, endedAt }) => endedAt !== null && endedAt < startedAt)).toEqual([]);
    shiftDates.add((await production()).shiftDate);
  },
);

it('D-04, VAR-03 over all these jumps production is complete, and no shift has more time than has passed', async () => {
  clearInterval(timer);
  await expect.poll(() => device.commands.length).toBe(asked);
  const elapsedSeconds = (performance.now() - startedAt) / 1_000;
  expect(shiftDates).toContain('2026-11-01');
  const days = await Promise.all([...shiftDates].map((shiftDate) => production(shiftDate)));
  const sum = (name: string) => days.reduce((total, day) => total + day[name], 0);
  // The parts of the first status do not count, because the time of their production is unknown.
  expect(sum('goodParts')).toBe(asked - 1);
  const times = ['runningSeconds', 'stoppedSeconds', 'downSeconds', 'offlineSeconds'].map(sum);
  for (const seconds of times) expect(seconds).toBeGreaterThanOrEqual(0);
  const total = times.reduce((all, seconds) => all + seconds, 0);
  console.info({ shiftDates: [...shiftDates], elapsedSeconds: Math.round(elapsedSeconds), accountedSeconds: total });
  expect(Math.abs(total - elapsedSeconds)).toBeLessThan(2 + days.length);
  const { counts, clockJump } = (await program.api('GET', '/diagnostics')).body;
  // A busy computer holds the event loop up, which is told too.
  expect({ heldUp: 0, ...counts }).toEqual({ clockJump: JUMPS.length, heldUp: counts.heldUp ?? 0 });
  expect(clockJump[0].detail).toMatch(/the wall clock was set by -?\d+ ms/);
});

it('D-04, VAR-03 after all these jumps production and variables are at the shifts of the last clock alone', async () => {
  const ofNight = '2026-10-31';
  const productive = async (shiftDate: string) => (await production(shiftDate)).goodParts > 0;
  const dates = await Promise.all([...shiftDates].map(async (date) => ((await productive(date)) ? [date] : [])));
  expect(dates.flat().sort()).toEqual([ofNight, '2026-11-01']);
  expect((await production(ofNight)).goodParts).toBeGreaterThan((await production('2026-11-01')).goodParts);
  const hours = await Promise.all(
    [...shiftDates].map(
      async (date) => (await program.api('GET', `/machines/RF-01/production/hours?shiftDate=${date}`)).body.hours,
    ),
  );
  const madeIn = hours.flat().reduce((sum: number, { goodParts }: Json) => sum + goodParts, 0);
  expect(madeIn).toBe(asked - 1);
  const found = await Promise.all(
    [...shiftDates].map(async (date) => {
      const { points } = (await program.api('GET', `/machines/RF-01/variables/lineSpeed?shiftDate=${date}`)).body;
      return points.length > 0 ? [date] : [];
    }),
  );
  expect(found.flat()).toEqual([ofNight]);
});

it('D-04, D-09, D-03 a clock corrected while the gateway was down does not lock the choice of parts', async () => {
  await program.ask({ kind: 'setWallClock', wallMs: Date.parse('2038-01-18T00:00:00Z') });
  await pause(NOTICED_MS);
  expect((await program.api('PUT', '/machines/RF-01/part', { partId: 'P-200' })).status).toBe(200);
  await pause(NOTICED_MS);
  await program.kill();
  program = await Program.start({ dir: program.dir });
  expect((await program.api('GET', '/machines/RF-01')).body.part).toMatchObject({ partId: 'P-200' });
  expect((await program.api('GET', '/machines/RF-02')).body.decision.message).toBe('Downtime categorization required');
  const [downtime] = (await program.api('GET', '/machines/RF-02/downtimes')).body;
  const category = await program.api('PUT', `/downtimes/${downtime.downtimeId}/category`, { reasonId: 'DT-01' });
  expect(category.status).toBe(200);
  const status = statusOf({ mSecSinceBoot: 900_000, goodPart: 100 + asked, cycle: 10 + asked, partId: 'P-100' });
  expect((await program.device('status', status)).body).toMatchObject({ runEnabled: true });
  expect((await program.api('GET', '/machines/RF-01')).body.part).toMatchObject({ partId: 'P-100' });
  expect((await program.device('status', stopping(true))).body).toMatchObject({ runEnabled: true });
});
