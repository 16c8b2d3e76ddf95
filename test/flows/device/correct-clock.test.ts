import { setImmediate as nextTurn } from 'node:timers/promises';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { ShiftTotals } from '../../../src/domain/machine/counters/counters.ts';
import { DEFAULT_TIMING } from '../../../src/domain/machine/machine-state.ts';
import type { Now } from '../../../src/domain/time.ts';
import { correctClock } from '../../../src/flows/device/correct-clock.ts';
import { saveState, totalsRecords } from '../../../src/flows/device/live-machine.ts';
import { MachineRegistry } from '../../../src/flows/device/machine-registry.ts';
import { ShiftRecounts } from '../../../src/flows/device/shift-recounts.ts';
import { hoursOf } from '../../../src/flows/local-api/hourly-production.ts';
import { MachineHistory } from '../../../src/flows/local-api/machine-history.ts';
import type { Store, StoredState } from '../../../src/flows/store-ports.ts';
import { newDataDir, openTestCore, type TestCore } from '../../adapters/store/open-test-store.ts';
import { calendarOf, statusOf } from '../../domain/machine/machine-under-test.ts';
import { rounds } from '../../rounds.ts';
import { knownMachine, machine, NO_STORED_STATE } from '../floor-under-test.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
/** 10:05 in Chicago, in the first of three shifts, which begin at 6, 14 and 22 o'clock. */
const START = Date.parse('2026-03-04T16:05:00Z');
/** 13:50, ten minutes before the second shift. */
const BEFORE_SHIFT = Date.parse('2026-03-04T19:50:00Z');

type Story = (floor: FloorWithStore) => Promise<FloorWithStore> | FloorWithStore;
const IN_1970 = -START + 20_000;

it.each<[string, number, number, Story]>([
  ['in 1970', START, IN_1970, (floor) => floor.run(50, 3).setClock()],
  ['months ago', START, -120 * DAY_MS, (floor) => floor.run(50, 3).setClock()],
  ['a day in the future', START, DAY_MS, (floor) => floor.run(50, 3).setClock()],
  ['an hour ahead', START, HOUR_MS, (floor) => floor.run(50, 3).setClock()],
  ['an hour behind', START, -HOUR_MS, (floor) => floor.run(50, 3).setClock()],
  ['a day ahead, over several shifts', START, DAY_MS, (floor) => floor.run(17 * 60, 1).setClock()],
  ['eight hours behind, over several shifts', START, -8 * HOUR_MS, (floor) => floor.run(17 * 60, 1).setClock()],
  ['over more shifts than are remembered', START, -DAY_MS, (floor) => floor.run(72 * 60, 1).setClock()],
  [
    'in 1970, with a restart of the gateway',
    START,
    IN_1970,
    (floor) => floor.run(20, 3).restart().run(20, 3).setClock(),
  ],
  [
    'a day ahead, with two restarts',
    START,
    DAY_MS,
    (floor) => floor.run(20, 3).restart().run(5, 2).restart().setClock(),
  ],
  ['five minutes ahead, over a shift boundary', BEFORE_SHIFT, 5 * MINUTE_MS, (floor) => floor.run(8, 4).setClock()],
  ['a day ahead, and the gateway is killed at once', START, DAY_MS, (floor) => floor.run(30, 3).setClock().restart()],
  [
    'a day ahead, while the machine is out of the plant',
    START,
    DAY_MS,
    (floor) => floor.run(30, 3).configure(false).setClock().configure(true),
  ],
  ['set twice at once', START, DAY_MS, (floor) => floor.run(30, 3).setClock(-DAY_MS).setClock()],
  ['set there and back', START, 0, (floor) => floor.run(30, 3).setClock(DAY_MS).run(5, 2).setClock()],
  [
    'set step by step',
    START,
    -3 * DAY_MS,
    async (floor) =>
      (
        await floor
          .run(30, 3)
          .setClock(-2 * HOUR_MS)
          .settled()
      )
        .run(30, 3)
        .setClock(),
  ],
  [
    'set before the store has answered',
    START,
    DAY_MS,
    (floor) => floor.run(30, 3).setClock(HOUR_MS).run(3, 2).setClock(),
  ],
  ['right, and the machine makes nothing', START, DAY_MS, (floor) => floor.run(30, 0).setClock()],
])(
  'D-04 VAR-03 production by shift and by hour of a clock that was %s is that of a right clock',
  async (_, start, wrongMs, story) => {
    const [wrong, right] = [new FloorWithStore(start, wrongMs), new FloorWithStore(start, null)];
    await story(wrong);
    await (await wrong.settled()).run(20, 2).settled();
    (await (await story(right)).settled()).run(20, 2);
    expect(await wrong.production(start, 4)).toEqual(await right.production(start, 4));
    const elsewhere = await wrong.production(start + wrongMs, 0);
    if (Math.abs(wrongMs) > 5 * DAY_MS) expect(elsewhere.shifts).toEqual({});
  },
);

const MAX_RATE = 4;
const happening = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({ minutes: fc.integer({ min: 1, max: 60 }), rate: fc.integer({ min: 0, max: MAX_RATE }) }),
  },
  { weight: 3, arbitrary: fc.record({ wrongMs: fc.integer({ min: -3 * DAY_MS, max: 3 * DAY_MS }) }) },
  { weight: 1, arbitrary: fc.record({ slewMs: fc.integer({ min: -2 * MINUTE_MS, max: 2 * MINUTE_MS }) }) },
  fc.constant('restart' as const),
  fc.constant('answer' as const),
);

it('D-04 VAR-03 whatever the corrections of the clock, no part is lost or counted twice, and none is a quarter of an hour off', async () => {
  const anyStory = fc.tuple(fc.integer({ min: -2 * DAY_MS, max: 2 * DAY_MS }), fc.array(happening, { maxLength: 8 }));
  await fc.assert(
    fc.asyncProperty(anyStory, async ([firstMs, story]) => {
      const [wrong, right] = [new FloorWithStore(START, firstMs), new FloorWithStore(START, null)];
      let wrongMs = firstMs;
      for (const each of story) {
        if (typeof each === 'object' && !('minutes' in each)) {
          wrongMs = 'wrongMs' in each ? each.wrongMs : wrongMs + each.slewMs;
          wrong.setClock(wrongMs);
          continue;
        }
        for (const floor of [wrong, right]) await live(floor, each);
      }
      await wrong.setClock().settled();
      const [moved, expected] = [await wrong.production(START, 4), await right.production(START, 4)];
      expect(sumOf(moved.shifts)).toBe(right.made);
      expect(sumOf(moved.hours)).toBe(right.made);
      const of = (production: typeof moved, shift: string) => production.times[shift] ?? { goodParts: 0, runningMs: 0 };
      for (const shift of new Set([...Object.keys(moved.times), ...Object.keys(expected.times)])) {
        const [here, there] = [of(moved, shift), of(expected, shift)];
        expect(Math.abs(here.goodParts - there.goodParts)).toBeLessThanOrEqual(15 * MAX_RATE);
        expect(Math.abs(here.runningMs - there.runningMs)).toBeLessThan(15 * MINUTE_MS);
      }
    }),
    { numRuns: rounds(30) },
  );
}, 120_000);

async function live(floor: FloorWithStore, happening: 'restart' | 'answer' | { minutes: number; rate: number }) {
  if (happening === 'restart') floor.restart();
  else if (happening === 'answer') await floor.settled();
  else floor.run(happening.minutes, happening.rate);
}

function sumOf(production: Readonly<Record<string, number>>): number {
  return Object.values(production).reduce((sum, parts) => sum + parts, 0);
}

const RF1 = knownMachine('RF-01');
const calendar = calendarOf('America/Chicago', ['06:00', '14:00', '22:00']);

/** One machine over a real database, minute by minute, with a wall clock that is `wrongMs` off until it is corrected. */
class FloorWithStore {
  readonly #dataDir = newDataDir();
  readonly #bootedAt: number;
  readonly #isAlwaysRight: boolean;
  #core: TestCore;
  #registry: MachineRegistry;
  #recounts: ShiftRecounts;
  #rightMs: number;
  #wrongMs: number;
  #runs = 0;
  #uptimeMs = 1_000;
  made = 0;

  /** `wrongMs` is null for a clock that is right and is never set. */
  constructor(startMs: number, wrongMs: number | null) {
    this.#isAlwaysRight = wrongMs === null;
    this.#rightMs = startMs;
    this.#bootedAt = startMs - MINUTE_MS;
    this.#wrongMs = wrongMs ?? 0;
    [this.#core, this.#registry, this.#recounts] = this.#run(NO_STORED_STATE);
    this.#tell();
  }

  /** The machine makes parts for some minutes, so many in each. */
  run(minutes: number, partsPerMinute: number): this {
    for (let minute = 0; minute < minutes; minute += 1) {
      for (let part = 0; part < partsPerMinute; part += 1) {
        this.#pass(MINUTE_MS / (partsPerMinute + 1));
        this.made += 1;
        this.#tell();
      }
      this.#pass(MINUTE_MS / (partsPerMinute + 1));
      this.#tell();
      const live = this.#live;
      this.#record([saveState(live, this.#now.monotonicMs), ...totalsRecords(live)]);
    }
    return this;
  }

  /** Another run of the gateway within the same boot. */
  restart(): this {
    this.#core.close();
    this.#core = openTestCore(this.#dataDir, `run ${++this.#runs}`);
    [this.#core, this.#registry, this.#recounts] = this.#run(this.#core.restored, this.#core);
    this.#tell();
    return this;
  }

  /** The machine is taken out of the plant, or put back. */
  configure(isInPlant: boolean): this {
    this.#registry.configure(isInPlant ? [machine('RF-01')] : [], this.#now);
    if (isInPlant) this.#tell();
    return this;
  }

  /** The clock is set, and is `wrongMs` off from now on. Gives no time to the store before `settled`. */
  setClock(wrongMs = 0): this {
    if (this.#isAlwaysRight) return this;
    const deltaMs = wrongMs - this.#wrongMs;
    const bootedAt = this.#bootedAt + this.#wrongMs;
    this.#wrongMs = wrongMs;
    const store: Pick<Store, 'clockCorrected'> = {
      clockCorrected: (change, states = []) => this.#record([{ kind: 'clockCorrected', ...change }, ...states]),
    };
    const incidents = { report: () => undefined };
    const alerts = { noteJump: () => undefined };
    const clock = this.#clock;
    correctClock({ deltaMs, bootedAt }, { registry: this.#registry, store, calendar, incidents, clock, alerts });
    return this;
  }

  /** The store has answered. */
  async settled(): Promise<this> {
    for (let turn = 0; this.#live.state.recount !== null; turn += 1) {
      if (turn > 100) throw new Error('the recount does not end');
      this.#recounts.look(this.#live, this.#now);
      await nextTurn();
    }
    return this;
  }

  /** Production by shift, and by hour, of the shifts that have any. */
  async production(around: number, days = 3) {
    const history = new MachineHistory({ registry: this.#registry, store: this.#queries, clock: this.#clock });
    const shifts: Record<string, number> = {};
    const hours: Record<string, number> = {};
    const times: Record<string, ShiftTotals> = {};
    for (let day = -days; day <= days; day += 1) {
      const shiftDate = new Date(around + day * 24 * 60 * MINUTE_MS).toISOString().slice(0, 10);
      for (const shift of await history.shifts(this.#live, shiftDate)) {
        if (shift.totals.goodParts !== 0) shifts[`${shiftDate} ${shift.shiftName}`] = shift.totals.goodParts;
        times[`${shiftDate} ${shift.shiftName}`] = shift.totals;
      }
      const quarters = await history.quarters(this.#live, shiftDate);
      const planned = calendar.shiftsOfDate(shiftDate).map((shift) => ({ ...shift, isPlanned: true, breaks: [] }));
      for (const { startsAt, goodParts } of hoursOf(planned, quarters, null, this.#now.wallMs).hours) {
        if (goodParts !== 0) hours[startsAt] = goodParts;
      }
    }
    return { shifts, hours, times };
  }

  get #now(): Now {
    return { monotonicMs: Math.round(this.#uptimeMs), wallMs: Math.round(this.#rightMs + this.#wrongMs) };
  }

  get #clock() {
    return { now: () => this.#now };
  }

  get #live() {
    const live = this.#registry.get(RF1);
    if (live === undefined) throw new Error('RF-01 is not configured');
    return live;
  }

  get #queries() {
    const { history, machineHistory } = this.#core;
    return {
      synced: () => Promise.resolve(),
      shifts: (id: typeof RF1, date: string) => Promise.resolve(history.shifts(id, date)),
      quarters: (id: typeof RF1, date: string) => Promise.resolve(machineHistory.production.quarters(id, date)),
    } as never;
  }

  #record(records: Parameters<TestCore['write']>[0]): void {
    this.#core.write(records, this.#now.wallMs);
  }

  #pass(durationMs: number): void {
    this.#rightMs += durationMs;
    this.#uptimeMs += durationMs;
  }

  #tell(): void {
    const status = statusOf({ mSecSinceBoot: Math.round(this.#uptimeMs), goodPart: this.made, cycle: this.made });
    this.#registry.apply(this.#live, { type: 'status', status, duplicate: false, sender: null }, this.#now, 'nobody');
  }

  #run(stored: StoredState, core = openTestCore(this.#dataDir)): [TestCore, MachineRegistry, ShiftRecounts] {
    let ids = 0;
    const registry = new MachineRegistry({
      context: {
        timing: { ...DEFAULT_TIMING, timeoutMs: 10 * MINUTE_MS },
        shiftAt: calendar.shiftAt,
        newId: () => `${this.#runs}-${++ids}`,
      },
      maxUpdatesPerSecond: 10,
      store: { record: (records) => this.#record(records) },
      setupReasons: () => new Set(),
      onPartReported: () => undefined,
    });
    this.#core = core;
    registry.restore(stored);
    registry.configure([machine('RF-01')], this.#now);
    const incidents = { report: () => undefined };
    return [core, registry, new ShiftRecounts({ registry, store: this.#queries, clock: this.#clock, incidents })];
  }
}
