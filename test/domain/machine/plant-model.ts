import fc from 'fast-check';
import type { StatusOverrides } from './machine-under-test.ts';

/** Events of a device and its gateway, as random data. */
export type Happening =
  | { readonly kind: 'status'; readonly afterMs: number; readonly made: readonly number[]; readonly flags: Flags }
  | { readonly kind: 'redelivery'; readonly afterMs: number; readonly older: boolean }
  | { readonly kind: 'reboot'; readonly afterMs: number; readonly countersGoOn: boolean; readonly flags: Flags }
  | { readonly kind: 'wrap'; readonly flags: Flags }
  | { readonly kind: 'silence'; readonly afterMs: number; readonly looks: number }
  | { readonly kind: 'wallJump'; readonly byMs: number }
  | { readonly kind: 'restart'; readonly downMs: number }
  | { readonly kind: 'part'; readonly selected: boolean }
  | { readonly kind: 'categorize' };

export interface Flags {
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
export class Device {
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
