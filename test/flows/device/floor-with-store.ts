import { setImmediate as nextTurn } from 'node:timers/promises';
import type { ShiftTotals } from '../../../src/domain/machine/counters/counters.ts';
import { DEFAULT_TIMING } from '../../../src/domain/machine/machine-state.ts';
import type { Now } from '../../../src/domain/time.ts';
import { correctClock } from '../../../src/flows/device/correct-clock.ts';
import { saveState, totalsRecords } from '../../../src/flows/device/live-machine.ts';
import { MachineRegistry } from '../../../src/flows/device/machine-registry.ts';
import { ShiftRecounts } from '../../../src/flows/device/recount-shifts.ts';
import { hoursOf } from '../../../src/flows/local-api/hourly-production.ts';
import { MachineHistory } from '../../../src/flows/local-api/machine-history.ts';
import type { Store, StoredState } from '../../../src/flows/store-ports.ts';
import { newDataDir } from '../../adapters/store/open-test-store.ts';
import { openTestCore, type TestCore } from '../../adapters/store/thread/open-test-core.ts';
import { calendarOf, statusOf } from '../../domain/machine/machine-under-test.ts';
import { knownMachine, machine, NO_STORED_STATE } from '../floor-under-test.ts';

const MINUTE_MS = 60_000;
export const RF1 = knownMachine('RF-01');
export const calendar = calendarOf('America/Chicago', ['06:00', '14:00', '22:00']);

/** One machine over a real database, minute by minute, with a wall clock that is `wrongMs` off until it is corrected. */
export class FloorWithStore {
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
    correctClock({ deltaMs, bootedAt }, { registry: this.#registry, store, calendar, incidents, clock: this.#clock });
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
      for (const { startsAt, goodParts } of hoursOf(calendar.shiftsOfDate(shiftDate), quarters, this.#now.wallMs)) {
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
