import fc from 'fast-check';
import type { ShiftTotals } from '../../../src/domain/machine/counters/counters.ts';
import type { MachineState } from '../../../src/domain/machine/machine-state.ts';
import type { Downtime, Span } from '../../../src/domain/machine/records.ts';
import { MachineUnderTest, type StatusOverrides } from './machine-under-test.ts';

/** A machine, the device it stands for, and what an independent observer expects of both. */
export class Trial {
  readonly machine = new MachineUnderTest();
  readonly device = new Device();
  readonly oracle = new Oracle();
  /** The first decision for a device that comes back after a restart, by the number of decisions before. */
  readonly restored = new Map<number, MachineState['decision']>();
  private readonly looks: number;

  /** `looks` is the number of clock readings while time passes. */
  constructor(looks = 0) {
    this.looks = looks;
  }

  happen(happening: Happening): void {
    switch (happening.kind) {
      case 'status':
        this.pass(happening.afterMs);
        this.device.make(happening.made);
        this.send(happening.flags);
        break;
      case 'reboot':
        this.pass(happening.afterMs);
        this.device.reboot(happening.countersGoOn);
        this.send(happening.flags);
        break;
      case 'wrap':
        this.nearWrap();
        this.send(happening.flags);
        this.pass(500);
        this.device.make([1, 1, 0]);
        this.device.wrap();
        this.send(happening.flags);
        break;
      case 'redelivery':
        this.pass(happening.afterMs);
        this.redeliver(happening.older);
        break;
      case 'silence':
        for (let look = 0; look <= happening.looks; look++) {
          this.pass(Math.ceil(happening.afterMs / (happening.looks + 1)));
          this.machine.clock();
        }
        break;
      case 'wallJump':
        this.machine.wallMs += happening.byMs;
        break;
      case 'restart':
        // The state belongs to the last input, so a clock input brings it up to date.
        this.machine.clock().restart(happening.downMs);
        this.restored.set(this.machine.ever('decision').length, this.machine.state.decision);
        this.oracle.restart();
        this.machine.clock();
        break;
      case 'part':
        this.select(happening.selected);
        break;
      case 'categorize':
        this.categorizeAll();
        break;
    }
  }

  /** After a restart of the gateway a machine may have been up for any time. */
  private nearWrap(): void {
    this.happen({ kind: 'restart', downMs: 0 });
    this.device.nearWrap();
  }

  private pass(durationMs: number): void {
    for (let look = 1; look <= this.looks; look++) this.machine.wait(durationMs / 2 ** look).clock();
    this.machine.wait(durationMs / 2 ** this.looks);
    this.device.pass(durationMs);
    this.oracle.pass(durationMs);
  }

  private send(flags: Parameters<Device['status']>[0]): void {
    this.machine.status(this.device.status(flags));
    this.oracle.hear(flags);
  }

  private redeliver(older: boolean): void {
    const sent = this.device.sent.at(older ? -2 : -1);
    const last = this.device.sent.at(-1);
    if (sent === undefined || last === undefined) return;
    // An older message with a higher uptime belongs to an earlier boot: no duplicate of MQTT comes that late.
    if (sent.mSecSinceBoot > last.mSecSinceBoot) return;
    this.machine.status(sent, true);
    this.oracle.hear(null);
  }

  private select(selected: boolean): void {
    const at = this.machine.wallMs;
    if (selected) this.machine.input({ type: 'selectPart', partId: 'P-1', partName: null, at, by: 'person' });
    else this.machine.input({ type: 'clearPart', at });
    this.oracle.select(selected);
  }

  private categorizeAll(): void {
    const latest = new Map(this.machine.ever('downtime').map(({ downtime }) => [downtime.downtimeId, downtime]));
    const downtimes = [...latest.values()].map((downtime): Downtime => ({ ...downtime, reasonId: 'DT-1' }));
    this.machine.input({ type: 'downtimesChanged', downtimes, removedIds: [] });
    this.oracle.categorizeAll();
  }

  /** The totals of every shift together: records are absolute, so the last one of each counts. */
  totals(): ShiftTotals {
    const shifts = new Map(
      this.machine.ever('shift').map(({ shift }) => [shift.shiftDate + shift.shiftName, shift.totals]),
    );
    const { period, totals } = this.machine.state.shift;
    const { shiftDate, shiftName } = period;
    shifts.set(shiftDate + shiftName, totals);
    return [...shifts.values()].reduce((sum, each) => ({
      goodParts: sum.goodParts + each.goodParts,
      badParts: sum.badParts + each.badParts,
      cycles: sum.cycles + each.cycles,
      runningMs: sum.runningMs + each.runningMs,
      stoppedMs: sum.stoppedMs + each.stoppedMs,
      downMs: sum.downMs + each.downMs,
      faultMs: sum.faultMs + each.faultMs,
      overrideMs: sum.overrideMs + each.overrideMs,
      offlineMs: sum.offlineMs + each.offlineMs,
    }));
  }

  spans(): readonly Span[] {
    return [...new Map(this.machine.ever('span').map(({ span }) => [span.spanId, span])).values()];
  }
}
/** Events of a device and its gateway, as random data. */
type Happening =
  | { readonly kind: 'status'; readonly afterMs: number; readonly made: readonly number[]; readonly flags: Flags }
  | { readonly kind: 'redelivery'; readonly afterMs: number; readonly older: boolean }
  | { readonly kind: 'reboot'; readonly afterMs: number; readonly countersGoOn: boolean; readonly flags: Flags }
  | { readonly kind: 'wrap'; readonly flags: Flags }
  | { readonly kind: 'silence'; readonly afterMs: number; readonly looks: number }
  | { readonly kind: 'wallJump'; readonly byMs: number }
  | { readonly kind: 'restart'; readonly downMs: number }
  | { readonly kind: 'part'; readonly selected: boolean }
  | { readonly kind: 'categorize' };

interface Flags {
  readonly running: boolean;
  readonly power: boolean;
  readonly fault: boolean;
  readonly override: boolean;
}

const HOUR_MS = 3_600_000;

const flags = fc.record({
  running: fc.boolean(),
  power: fc.oneof({ weight: 4, arbitrary: fc.constant(true) }, { weight: 1, arbitrary: fc.boolean() }),
  fault: fc.boolean(),
  override: fc.boolean(),
});

const wait = fc.integer({ min: 1, max: 9_000 });

export const happenings: fc.Arbitrary<readonly Happening[]> = fc.array(
  fc.oneof(
    {
      weight: 8,
      arbitrary: fc.record({
        kind: fc.constant('status' as const),
        afterMs: fc.oneof(wait, fc.integer({ min: 9_000, max: 40_000 })),
        made: fc.tuple(fc.nat(5), fc.nat(5), fc.nat(2)),
        flags,
      }),
    },
    {
      weight: 2,
      arbitrary: fc.record({ kind: fc.constant('redelivery' as const), afterMs: wait, older: fc.boolean() }),
    },
    {
      weight: 1,
      arbitrary: fc.record({ kind: fc.constant('reboot' as const), afterMs: wait, countersGoOn: fc.boolean(), flags }),
    },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant('wrap' as const), flags }) },
    {
      weight: 2,
      arbitrary: fc.record({
        kind: fc.constant('silence' as const),
        afterMs: fc.integer({ min: 1, max: 60_000 }),
        looks: fc.nat(4),
      }),
    },
    {
      weight: 1,
      arbitrary: fc.record({
        kind: fc.constant('wallJump' as const),
        byMs: fc.integer({ min: -72 * HOUR_MS, max: 72 * HOUR_MS }),
      }),
    },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant('restart' as const), downMs: fc.nat(HOUR_MS) }) },
    { weight: 2, arbitrary: fc.record({ kind: fc.constant('part' as const), selected: fc.boolean() }) },
    { weight: 2, arbitrary: fc.record({ kind: fc.constant('categorize' as const) }) },
  ),
  { maxLength: 60 },
);

interface SentStatus extends StatusOverrides {
  readonly mSecSinceBoot: number;
  readonly cycle: number;
}

const BOOT_MS = 10;

/** A PLC: it makes parts, keeps its counters since boot and knows what it ever sent. */
class Device {
  uptimeMs = 5_000;
  counters = [1_000, 900, 50];
  readonly made = [0, 0, 0];
  readonly sent: SentStatus[] = [];

  pass(durationMs: number): void {
    this.uptimeMs += durationMs;
  }

  make(amounts: readonly number[]): void {
    for (const [place, amount] of amounts.entries()) {
      this.counters[place] = (this.counters[place] ?? 0) + amount;
      // The new part of the first reading is unknown.
      if (this.sent.length > 0) this.made[place] = (this.made[place] ?? 0) + amount;
    }
  }

  /**
   * A boot within a boot's first moments, or counters that start again at their old values, could not be recognised.
   */
  reboot(countersGoOn: boolean): void {
    const last = this.sent.at(-1);
    if (last !== undefined && last.mSecSinceBoot <= BOOT_MS) return;
    this.uptimeMs = BOOT_MS;
    if (!countersGoOn && (last === undefined || last.cycle > 2)) this.counters = [0, 0, 0];
    this.make([2, 1, 1]);
  }

  /** The next status wraps around 2³²; a machine that was not near it is first brought there, unseen. */
  nearWrap(): void {
    this.uptimeMs = 2 ** 32 - 300;
  }

  wrap(): void {
    this.uptimeMs = 200;
  }

  status(flags: Flags): SentStatus {
    const [cycle = 0, goodPart = 0, badPart = 0] = this.counters;
    const status = {
      mSecSinceBoot: this.uptimeMs,
      cycle,
      goodPart,
      badPart,
      running: flags.running,
      machinePower: flags.power,
      fault: flags.fault,
      override: flags.override,
      partId: undefined,
    };
    this.sent.push(status);
    return status;
  }
}

const TIMEOUT_MS = 10_000;

/** The expected results in the plainest form: one record of the last values, and sums. */
class Oracle {
  readonly spent = { runningMs: 0, stoppedMs: 0, downMs: 0, offlineMs: 0, faultMs: 0, overrideMs: 0 };
  elapsedMs = 0;
  private said: Flags | null = null;
  private quietMs = 0;
  private isWatched = false;
  private isDown = false;
  private waiting = 0;
  private partSelected = false;

  /** Nothing is counted before the first message, nor after a restart until something is heard or ten seconds pass. */
  pass(durationMs: number): void {
    if (this.said === null) return;
    const online = Math.max(0, Math.min(durationMs, TIMEOUT_MS - this.quietMs));
    this.quietMs += durationMs;
    if (this.isWatched) this.count(this.said, online);
    this.spent.offlineMs += durationMs - online;
    this.elapsedMs += durationMs - (this.isWatched ? 0 : online);
    if (this.quietMs >= TIMEOUT_MS) this.isWatched = true;
  }

  hear(said: Flags | null): void {
    this.quietMs = 0;
    this.isWatched = true;
    if (said === null) return;
    if (said.running) this.isDown = false;
    else if (this.said?.running === true) {
      this.isDown = true;
      this.waiting++;
    }
    this.said = said;
  }

  restart(): void {
    this.quietMs = 0;
    this.isWatched = false;
  }

  select(selected: boolean): void {
    this.partSelected = selected;
  }

  categorizeAll(): void {
    this.waiting = 0;
  }

  decision() {
    return {
      runEnabled: this.message() === null,
      attentionNeeded: this.said?.fault ?? false,
      message: this.message(),
    };
  }

  private message(): string | null {
    if (this.said?.power !== true) return 'Machine power is off';
    if (!this.partSelected) return 'Part not selected';
    if (this.quietMs >= TIMEOUT_MS) return 'Device not responding';
    return this.waiting > 0 ? 'Downtime categorization required' : null;
  }

  private count(said: Flags, durationMs: number): void {
    const activity = said.running ? 'runningMs' : this.isDown ? 'downMs' : 'stoppedMs';
    this.spent[activity] += durationMs;
    if (said.fault) this.spent.faultMs += durationMs;
    if (said.override) this.spent.overrideMs += durationMs;
  }
}
