import { cpSync, rmSync } from 'node:fs';
import fc from 'fast-check';
import { afterAll, expect, it } from 'vitest';
import type { OpenedStore } from '../../../src/adapters/store/client/sqlite-store.ts';
import type { ShiftTotals } from '../../../src/domain/machine/counters/counters.ts';
import type { WorkSession } from '../../../src/domain/machine/records.ts';
import { receivedMachineId } from '../../../src/domain/sync/received-id.ts';
import { snapshot, stateRecord, totalsRecords } from '../../../src/flows/device/live-machine.ts';
import type { StoreRecord } from '../../../src/flows/store-ports.ts';
import { endPostgresServer, STORES, type TestedStore } from '../../central/central-under-test.ts';
import { calendarOf } from '../../domain/machine/machine-under-test.ts';
import { FloorUnderTest, machine, NO_STORED_STATE } from '../../flows/floor-under-test.ts';
import { FORWARDING } from './forwarding/queued-records.ts';
import { newDataDir, openTestStore, RF1, START_AT } from './open-test-store.ts';

const HOUR_MS = 3_300_000;
const shiftAt = calendarOf('UTC', ['06:00', '14:00', '22:00']).shiftAt;

const WORK = fc.record({
  do: fc.constant('make' as const),
  parts: fc.nat(50),
  withinMs: fc.nat(6 * HOUR_MS),
  isHeard: fc.boolean(),
});
/** Events of a machine and its gateway between one backup, or restore, and the next. */
const STEP = fc.oneof(
  { weight: 6, arbitrary: WORK },
  { weight: 1, arbitrary: fc.record({ do: fc.constantFrom('boot', 'job', 'save') }) },
  { weight: 2, arbitrary: fc.constant({ do: 'send' as const }) },
);
const STEPS = fc.array(STEP, { maxLength: 6 });
const ROUND = fc.record({
  before: STEPS,
  isBackedUp: fc.boolean(),
  after: STEPS,
  isSent: fc.boolean(),
  isHeardAtOnce: fc.boolean(),
});
type Step = typeof STEP extends fc.Arbitrary<infer T> ? T : never;

/** Totals by shift, and counts by work session, as last reported. */
class Book {
  readonly shifts: Map<string, ShiftTotals>;
  readonly sessions: Map<string, WorkSession>;

  constructor(other?: Book) {
    this.shifts = new Map(other?.shifts);
    this.sessions = new Map(other?.sessions);
  }

  note(records: readonly StoreRecord[]): void {
    for (const record of records) {
      if (record.kind === 'shift') this.shifts.set(keyOf(record.shift), record.shift.totals);
      if (record.kind === 'workSession') this.sessions.set(record.session.sessionId, record.session);
    }
  }
}

/** The knowledge at some moment of a gateway that was never restored. */
interface Knowledge {
  readonly moment: number;
  readonly state: string;
  readonly book: Book;
}

/** A machine, its gateway with a store, and an ideal gateway beside it that hears the same and is never restored. */
class Line {
  readonly #central: TestedStore;
  readonly #gatewayId: string;
  readonly #dataDir = newDataDir();
  #opened: OpenedStore | null = null;
  #gateway: FloorUnderTest;
  #ideal: FloorUnderTest;
  #idealBook = new Book();
  #moment = 0;
  #lives = 0;
  /**
   * The knowledge at the last write of totals, at the last write at all, and at the last totals that reached the
   * central server.
   */
  #saved: Knowledge;
  #written: Knowledge;
  #received: Knowledge;
  #backup: { readonly dataDir: string; readonly written: Knowledge } | null = null;
  readonly #counters = { cycle: 0, goodPart: 0, badPart: 0 };
  #bootedAt = START_AT - HOUR_MS;
  /** Production that a boot hid from the restored gateway, or that came before it knew of a job, is in no session that it could name. */
  #isWorkUnknown = false;
  #job = 1;
  #isHeardLate = false;

  constructor(central: TestedStore, gatewayId: string) {
    this.#central = central;
    this.#gatewayId = gatewayId;
    this.#gateway = this.#floor(null, START_AT);
    this.#ideal = this.#floor(null, START_AT);
    this.#saved = this.#written = this.#received = this.#knowledge();
  }

  async take(step: Step): Promise<void> {
    switch (step.do) {
      case 'make':
        this.#pass(step.withinMs);
        this.#make(step.parts);
        if (step.isHeard) await this.#speak();
        return;
      case 'boot':
        this.#isWorkUnknown = true;
        Object.assign(this.#counters, { cycle: 0, goodPart: 0, badPart: 0 });
        this.#bootedAt = this.#gateway.now.wallMs;
        return;
      case 'job':
        this.#job += 1;
        return;
      case 'save':
        await this.#save();
        return;
      case 'send':
        await this.send();
    }
  }

  /** Saves all totals and sends everything. */
  async bringUpToDate(): Promise<void> {
    await this.#speak();
    await this.#save();
    await this.send();
  }

  async check(): Promise<void> {
    const machineId = receivedMachineId(this.#gatewayId, RF1);
    const dates = new Set([...this.#idealBook.shifts.keys()].map((key) => key.slice(0, 10)));
    const shown = await Promise.all([...dates].map((date) => this.#central.shifts(machineId, date)));
    const totals = new Map(shown.flat().map((shift) => [keyOf(shift), shift.totals]));
    for (const key of new Set([...totals.keys(), ...this.#idealBook.shifts.keys()])) {
      const { cycles, goodParts, badParts, ...times } = this.#idealBook.shifts.get(key) ?? NOTHING;
      const found = { key, ...(totals.get(key) ?? NOTHING) };
      expect(found).toMatchObject({ key, cycles, goodParts, badParts });
      // If a machine was silent after the restore until the next shift, the central server knows less about its
      // silence.
      if (!this.#isHeardLate) expect(found).toMatchObject({ key, ...times });
    }
    if (this.#isWorkUnknown) return;
    const sessions = await this.#central.workSessions(machineId, 1_000);
    expect(partsOf(sessions)).toEqual(partsOf([...this.#idealBook.sessions.values()]));
  }

  async close(): Promise<void> {
    await this.#opened?.store.close();
    this.#opened = null;
  }

  #pass(milliseconds: number): void {
    this.#gateway.pass(milliseconds);
    this.#ideal.pass(milliseconds);
  }

  #make(parts: number): void {
    this.#counters.cycle += parts;
    this.#counters.goodPart += parts - Math.floor(parts / 7);
    this.#counters.badPart += Math.floor(parts / 7);
  }

  async #speak(): Promise<void> {
    this.#pass(1_000);
    const mSecSinceBoot = this.#gateway.now.wallMs - this.#bootedAt;
    const says = { ...this.#counters, mSecSinceBoot, jobNumber: `J-${this.#job}` };
    this.#gateway.status(RF1, says);
    this.#ideal.status(RF1, says);
    await this.#write();
  }

  async #save(): Promise<void> {
    for (const floor of [this.#gateway, this.#ideal]) {
      const live = floor.live(RF1);
      floor.registry.apply(live, { type: 'clock' }, floor.now, 'all');
      floor.handedOver.push([stateRecord(live), ...totalsRecords(live)]);
    }
    await this.#write();
  }

  /** Handed-over records go to disk; those of the ideal gateway into its book. */
  async #write(): Promise<void> {
    this.#idealBook.note(this.#ideal.handedOver.splice(0).flat());
    const records = this.#gateway.handedOver.splice(0).flat();
    if (records.length === 0) return;
    await (await this.#open()).store.write(records);
    this.#moment += 1;
    if (records.some(({ kind }) => kind === 'machineState')) this.#written = this.#knowledge();
    if (records.some(({ kind }) => kind === 'shift')) this.#saved = this.#knowledge();
  }

  async send(): Promise<void> {
    const central = this.#central;
    const { store } = await this.#open();
    for (;;) {
      const batch = await store.outgoingBatch();
      if (batch === null) break;
      const reading = await central.readBatch({ bytes: batch.body, isGzip: true });
      if (reading.kind === 'refused') throw new Error(reading.reason);
      const verdict = await central.judgeBatch(reading.ticket);
      if (verdict.kind === 'diverged') {
        this.#lives += 1;
        await store.write([{ kind: 'streamRestarted', stream: `stream-${this.#lives}-${this.#dataDir}` }]);
        continue;
      }
      await central.applyBatch(reading.ticket, { refused: [], principal: 'sam', at: START_AT });
      await store.write([{ kind: 'batchAcknowledged', digest: batch.digest, refused: [], at: START_AT }]);
    }
    this.#received = this.#saved;
  }

  async backUp(): Promise<void> {
    await this.#open();
    await this.close();
    const dataDir = newDataDir();
    cpSync(this.#dataDir, dataDir, { recursive: true });
    this.#backup = { dataDir, written: this.#written };
  }

  /** Restores the gateway: its memory and its unsent records are lost. */
  async restore(isHeardAtOnce: boolean): Promise<void> {
    if (this.#backup === null) return;
    this.#isHeardLate ||= !isHeardAtOnce;
    const { dataDir, written } = this.#backup;
    await this.close();
    rmSync(this.#dataDir, { recursive: true });
    cpSync(dataDir, this.#dataDir, { recursive: true });
    const { machineStates } = (await this.#open()).restored;
    const { wallMs } = this.#gateway.now;
    this.#gateway = this.#floor(machineStates[0]?.json ?? null, wallMs);
    this.#isWorkUnknown ||= this.#gateway.live(RF1).state.session === null;
    const known = this.#received.moment > written.moment ? this.#received : written;
    this.#ideal = this.#floor(known.moment === 0 ? null : known.state, wallMs);
    this.#idealBook = new Book(known.book);
    this.#saved = this.#written = this.#knowledge();
    await this.#write();
    if (isHeardAtOnce) await this.#speak();
  }

  async #open(): Promise<OpenedStore> {
    const forwarding = { ...FORWARDING, gatewayId: this.#gatewayId };
    this.#opened ??= await openTestStore({ dataDir: this.#dataDir, forwarding });
    return this.#opened;
  }

  #floor(json: string | null, wallMs: number): FloorUnderTest {
    const stored = { ...NO_STORED_STATE, machineStates: json === null ? [] : [{ machineId: RF1, json }] };
    this.#lives += 1;
    return new FloorUnderTest([machine(RF1)], stored, `life-${this.#lives}`, { monotonicMs: 9_000, wallMs }, shiftAt);
  }

  #knowledge(): Knowledge {
    return { moment: this.#moment, state: snapshot(this.#ideal.live(RF1)), book: new Book(this.#idealBook) };
  }
}

const NO_TIME = { runningMs: 0, stoppedMs: 0, downMs: 0, faultMs: 0, overrideMs: 0, offlineMs: 0 };
const NOTHING: ShiftTotals = { goodParts: 0, badParts: 0, cycles: 0, ...NO_TIME };

function keyOf({ shiftDate, shiftName }: { readonly shiftDate: string; readonly shiftName: string }): string {
  return `${shiftDate} ${shiftName}`;
}

function partsOf(sessions: readonly WorkSession[]) {
  const sum = (pick: (session: WorkSession) => number) => sessions.reduce((total, one) => total + pick(one), 0);
  return { good: sum((one) => one.goodParts), bad: sum((one) => one.badParts), cycles: sum((one) => one.cycles) };
}

afterAll(endPostgresServer);

it.each(STORES)(
  '$name: D-27 DEV-06 DEV-07 a gateway restored from backups any number of times shows at the central server the shifts and work sessions of one that was only away',
  async ({ open }) => {
    const central = await open();
    let lines = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(ROUND, { minLength: 1, maxLength: 3 }), async (rounds) => {
        const line = new Line(central, `line-${lines++}`);
        for (const { before, isBackedUp, after, isSent, isHeardAtOnce } of rounds) {
          for (const step of before) await line.take(step);
          if (isBackedUp) await line.backUp();
          for (const step of after) await line.take(step);
          if (isSent) await line.bringUpToDate();
          await line.restore(isHeardAtOnce);
        }
        await line.bringUpToDate();
        await line.check();
        await line.close();
      }),
      { numRuns: 8, interruptAfterTimeLimit: 200_000 },
    );
  },
  300_000,
);
