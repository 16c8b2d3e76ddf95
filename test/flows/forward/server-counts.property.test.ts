import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { StatusSampler } from '../../../src/flows/forward/status-sampler.ts';
import type { StoreRecord } from '../../../src/flows/store-ports.ts';
import { rounds } from '../../rounds.ts';
import { FloorUnderTest, knownMachine, machine, NO_STORED_STATE } from '../floor-under-test.ts';

const ID = 'RF-01';
const COUNTERS = [0, 1, 2] as const;
/** The order in which MQTT-04 names the fields. */
const FIELDS = [
  'running',
  'machinePower',
  'fault',
  'override',
  'goodPart',
  'badPart',
  'cycle',
  'mSecSinceBoot',
  'partId',
];

type Counts = readonly [cycles: number, goodParts: number, badParts: number];
type Form = 'json' | 'fields';

type Happening =
  | { readonly kind: 'status'; readonly afterMs: number; readonly made: Counts; readonly gapMs: number }
  | { readonly kind: 'part'; readonly part: number }
  /** The machine boots; of the status before, only so many fields were sent. */
  | { readonly kind: 'reboot'; readonly made: Counts; readonly sentFields: number; readonly gapMs: number }
  /** All that was handed over so far is on disk; `isSaved`: the newest states as well. */
  | { readonly kind: 'commit'; readonly isSaved: boolean }
  /** The gateway ends at once. Of the records that were handed over, this part is on disk. */
  | { readonly kind: 'kill'; readonly onDisk: number; readonly isPowerCut: boolean; readonly made: Counts }
  | { readonly kind: 'server'; readonly isThere: boolean };

const afterMs = fc.oneof(fc.integer({ min: 120, max: 900 }), fc.integer({ min: 120, max: 7_000 }));
const made = fc.tuple(fc.nat(4), fc.nat(4), fc.nat(1));
const gapMs = fc.constantFrom(0, 20, 200);
const happenings: fc.Arbitrary<readonly Happening[]> = fc.array(
  fc.oneof(
    { weight: 10, arbitrary: fc.record({ kind: fc.constant('status' as const), afterMs, made, gapMs }) },
    { weight: 2, arbitrary: fc.record({ kind: fc.constant('part' as const), part: fc.nat(2) }) },
    {
      weight: 2,
      arbitrary: fc.record({ kind: fc.constant('reboot' as const), made, sentFields: fc.nat(FIELDS.length), gapMs }),
    },
    { weight: 3, arbitrary: fc.record({ kind: fc.constant('commit' as const), isSaved: fc.boolean() }) },
    {
      weight: 2,
      arbitrary: fc.record({
        kind: fc.constant('kill' as const),
        onDisk: fc.oneof(fc.constant(1), fc.double({ min: 0, max: 1, noNaN: true })),
        isPowerCut: fc.boolean(),
        made,
      }),
    },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant('server' as const), isThere: fc.boolean() }) },
  ),
  { maxLength: 40 },
);

interface SentStatus {
  readonly why: string;
  readonly mSecSinceBoot: number;
  readonly counts: Counts;
}

/** A central server with the interface alone: it counts as D-02 says. */
class CentralServer {
  readonly made = [0, 0, 0];
  #last: SentStatus | null = null;

  take(status: SentStatus): void {
    const before = this.#last;
    this.#last = status;
    if (before === null) return;
    const hasBooted = status.mSecSinceBoot < before.mSecSinceBoot;
    const isFromZero = hasBooted && COUNTERS.some((place) => status.counts[place] < before.counts[place]);
    for (const place of COUNTERS) {
      const more = isFromZero ? status.counts[place] : Math.max(0, status.counts[place] - before.counts[place]);
      this.made[place] = (this.made[place] ?? 0) + more;
    }
  }
}

/** A machine, a gateway whose power may fail between any two groups of records, and a central server. */
class Trial {
  readonly server = new CentralServer();
  /** All production, and that at the last time at which all was on disk. */
  readonly made = [0, 0, 0];
  #madeOnDisk = [0, 0, 0];
  /** The most that may be missing at the server. */
  readonly mayBeLost = [0, 0, 0];
  readonly #form: Form;
  #counts = [1_000, 900, 50];
  #uptimeMs = 50_000;
  #part = 0;
  #hasBooted = false;
  #floor = new FloorUnderTest([machine(ID)]);
  #sampler: StatusSampler | null = null;
  #later: { readonly atMs: number; readonly act: () => void } | null = null;
  #committed = 0;
  #state: string | null = null;
  #queue: SentStatus[] = [];
  #isServerThere = true;
  #lives = 0;

  constructor(form: Form) {
    this.#form = form;
    this.#start();
    this.#send(0);
    this.#settle();
  }

  happen(happening: Happening): void {
    switch (happening.kind) {
      case 'status':
        this.#pass(happening.afterMs);
        this.#make(happening.made);
        this.#send(happening.gapMs);
        break;
      case 'part':
        this.#part = happening.part;
        break;
      case 'reboot':
        this.#pass(200);
        this.#make(happening.made);
        for (const place of COUNTERS) this.#lose(place, happening.made[place]);
        if (this.#form === 'fields') this.#sendFields(happening.sentFields, happening.gapMs);
        this.#pass(200);
        this.#boot();
        this.#send(happening.gapMs);
        break;
      case 'commit':
        if (happening.isSaved) this.#settle();
        else this.#commit(1);
        break;
      case 'kill':
        this.#kill(happening);
        break;
      case 'server':
        this.#isServerThere = happening.isThere;
        this.#forward();
    }
  }

  /** Everything reaches the server. */
  end(): void {
    this.#isServerThere = true;
    this.#forward();
    this.#pass(500);
    this.#send(0);
    this.#pass(6_000);
    this.#settle();
  }

  #start(): void {
    const floor = this.#floor;
    const after = (delayMs: number, act: () => void) => {
      this.#later = { atMs: floor.now.monotonicMs + delayMs, act };
      return () => {
        this.#later = null;
      };
    };
    const record = (records: readonly StoreRecord[]) => void floor.handedOver.push(records);
    this.#sampler = new StatusSampler({
      store: { record },
      clock: { now: () => floor.now },
      after,
      isServerThere: () => this.#isServerThere,
      onSampled: () => undefined,
    });
    this.#sampler.follow(floor.registry);
  }

  #pass(milliseconds: number): void {
    this.#uptimeMs += milliseconds;
    const untilMs = this.#floor.now.monotonicMs + milliseconds;
    while (this.#later !== null && this.#later.atMs <= untilMs) {
      const { atMs, act } = this.#later;
      this.#floor.pass(atMs - this.#floor.now.monotonicMs);
      act();
    }
    this.#floor.pass(untilMs - this.#floor.now.monotonicMs);
  }

  #make(counts: Counts): void {
    for (const place of COUNTERS) {
      this.#counts[place] = (this.#counts[place] ?? 0) + counts[place];
      this.made[place] = (this.made[place] ?? 0) + counts[place];
    }
  }

  #lose(place: number, count: number): void {
    this.mayBeLost[place] = (this.mayBeLost[place] ?? 0) + count;
  }

  #boot(): void {
    this.#counts = [0, 0, 0];
    this.#uptimeMs = 10;
    this.#hasBooted = true;
  }

  #values() {
    const [cycle = 0, goodPart = 0, badPart = 0] = this.#counts;
    const switches = { running: true, machinePower: true, fault: false, override: false };
    return { ...switches, goodPart, badPart, cycle, mSecSinceBoot: this.#uptimeMs, partId: `P-${this.#part}` };
  }

  #send(gapMs: number): void {
    if (this.#form === 'json') this.#floor.status(ID, this.#values());
    else this.#sendFields(FIELDS.length, gapMs);
  }

  #sendFields(count: number, fieldGapMs: number): void {
    const values = new Map(Object.entries(this.#values()));
    for (const field of FIELDS.slice(0, count)) {
      this.#floor.field(ID, field, String(values.get(field)));
      this.#pass(fieldGapMs);
    }
  }

  /** `part` of the records that wait go to disk, and from there to the server. */
  #commit(part: number): void {
    const { handedOver } = this.#floor;
    const upTo = this.#committed + Math.round((handedOver.length - this.#committed) * part);
    for (const record of handedOver.slice(this.#committed, upTo).flat()) {
      if (record.kind === 'machineState') this.#state = record.json;
      if (record.kind === 'statusSample') this.#queue.push(read(record.sample));
    }
    this.#committed = upTo;
    if (this.#isServerThere) this.#drain();
  }

  #drain(): void {
    for (const status of this.#queue.splice(0)) this.server.take(status);
  }

  /** After an outage, the server gets only what its count needs (D-26). */
  #forward(): void {
    if (!this.#isServerThere) return;
    const newest = this.#queue.at(-1);
    this.#queue = this.#queue.filter(
      (status) => status === newest || status.why === 'bootEnd' || status.why === 'partChange',
    );
    this.#drain();
  }

  #settle(): void {
    this.#floor.watch.stop();
    this.#commit(1);
    this.#madeOnDisk = [...this.made];
    this.#hasBooted = false;
  }

  #kill({ onDisk, isPowerCut, made: whileAway }: Extract<Happening, { kind: 'kill' }>): void {
    this.#commit(onDisk);
    // A boot of which nothing is on disk may be taken for the one before: the server then misses what it has not yet, and
    // what the machine makes until it is heard again, because its counters may be where they were.
    const hadBooted = this.#hasBooted;
    const arrived = hadBooted ? this.server.made : this.#madeOnDisk;
    if (isPowerCut || hadBooted)
      for (const place of COUNTERS) this.#lose(place, (this.made[place] ?? 0) - (arrived[place] ?? 0));
    this.#later = null;
    this.#committed = 0;
    const machineStates = this.#state === null ? [] : [{ machineId: knownMachine(ID), json: this.#state }];
    const now = { monotonicMs: 5_000, wallMs: this.#floor.now.wallMs + 20_000 };
    this.#floor = new FloorUnderTest(
      [machine(ID)],
      { ...NO_STORED_STATE, machineStates },
      `life-${++this.#lives}`,
      now,
    );
    this.#start();
    this.#pass(500);
    if (isPowerCut) this.#boot();
    else this.#make(whileAway);
    if (hadBooted && !isPowerCut) for (const place of COUNTERS) this.#lose(place, whileAway[place]);
    this.#send(0);
  }
}

function read({ why, json }: { readonly why: string; readonly json: string }): SentStatus {
  const { mSecSinceBoot, cycle, goodPart, badPart } = JSON.parse(json);
  return { why, mSecSinceBoot, counts: [cycle, goodPart, badPart] };
}

describe('production at a central server with the interface alone', () => {
  it.each(['json', 'fields'] as const)(
    'UP-02 D-26 is never more than the machine made, and whole but for what a power cut takes: %s',
    (form) => {
      fc.assert(
        fc.property(happenings, (life) => {
          const trial = new Trial(form);
          for (const happening of life) trial.happen(happening);
          trial.end();
          for (const place of COUNTERS) {
            const made = trial.made[place] ?? 0;
            expect(trial.server.made[place]).toBeLessThanOrEqual(made);
            expect(trial.server.made[place]).toBeGreaterThanOrEqual(made - (trial.mayBeLost[place] ?? 0));
          }
        }),
        { numRuns: rounds(1_000) },
      );
    },
  );
});
