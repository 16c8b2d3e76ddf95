import { describe, expect, it } from 'vitest';
import { MESSAGE } from '../../src/domain/machine/decision.ts';
import type { Downtime, Span } from '../../src/domain/machine/records.ts';
import { type LiveMachine, stateRecord } from '../../src/flows/device/live-machine.ts';
import type { StoredState, StoreRecord } from '../../src/flows/store-ports.ts';
import { oneOf, type Random, seededRandom } from '../../src/simulator/random.ts';
import { FloorUnderTest, knownMachine, machine, NO_STORED_STATE } from '../flows/floor-under-test.ts';
import { announceSeed, rounds } from '../rounds.ts';

const SEEDS = rounds(1_000);
const ACTS = 120;
const TIMEOUT_MS = 10_000;

/** The rule table, written once more from the interface. */
function expectedMessage({ state }: LiveMachine, silentMs: number): string | null {
  if (state.known.machinePower !== true) return MESSAGE.powerOff;
  if (state.selection === null) return MESSAGE.noPart;
  if (silentMs >= TIMEOUT_MS) return MESSAGE.notResponding;
  return state.uncategorized.length > 0 ? MESSAGE.uncategorized : null;
}

interface Stretch {
  readonly startedAt: number;
  readonly endedAt: number | null;
}

/** The spans that begin before another span has ended. */
function overlaps(stretches: readonly Stretch[]): readonly (readonly Stretch[])[] {
  const sorted = [...stretches].sort((one, other) => one.startedAt - other.startedAt);
  return sorted.slice(1).flatMap((next, index) => {
    const before = sorted[index];
    const isOver = before === undefined || (before.endedAt !== null && before.endedAt <= next.startedAt);
    return isOver ? [] : [[before, next]];
  });
}

function live(world: FloorWorld): LiveMachine {
  if (world.live === undefined) throw new Error('the machine is not configured');
  return world.live;
}

describe('a machine and its gateway, killed at any moment', () => {
  const first = announceSeed('floor');
  const worlds = Array.from({ length: SEEDS }, (_, index) => {
    const seed = first + index;
    const world = new FloorWorld(seed);
    const wrongDecisions: string[] = [];
    for (let count = 0; count < ACTS; count++) {
      world.act();
      if (world.live === undefined) continue;
      const silentMs = world.floor.now.monotonicMs - world.lastHeardMs;
      const expected = expectedMessage(world.live, silentMs);
      const { message } = world.live.state.decision;
      if (message !== expected) wrongDecisions.push(`${world.log.at(-1)}: ${message}, expected ${expected}`);
    }
    world.settle();
    return { seed, world, wrongDecisions };
  });

  it('DEV-08 DEV-09 DEV-10 DEV-11 DEV-12 is decided by the rule table at every moment', () => {
    expect(worlds.flatMap(({ seed, wrongDecisions }) => wrongDecisions.map((wrong) => `${seed} ${wrong}`))).toEqual([]);
  });

  it('DEV-06 DEV-07 D-03 has every part counted once', () => {
    const wrong = worlds.flatMap(({ seed, world }) => {
      const { goodParts } = live(world).state.shift.totals;
      return goodParts === world.made ? [] : [`${seed}: ${goodParts} counted, ${world.made} made`];
    });
    expect(wrong).toEqual([]);
  });

  it('D-03 D-07 reports no span of time and no stop twice', () => {
    const wrong = worlds.flatMap(({ seed, world: { disk } }) => {
      const twice = [...overlaps([...disk.spans.values()]), ...overlaps([...disk.downtimes.values()])];
      return twice.map((pair) => `${seed}: ${JSON.stringify(pair)}`);
    });
    expect(wrong).toEqual([]);
  });

  it('D-07 waits for the category of exactly the downtimes without a category on disk', () => {
    const wrong = worlds.flatMap(({ seed, world }) => {
      const waiting = [...world.disk.downtimes.values()].filter(({ reasonId }) => reasonId === null);
      const onDisk = waiting.map(({ downtimeId }) => downtimeId).sort();
      const inMemory = [...live(world).state.uncategorized].sort();
      return onDisk.join() === inMemory.join() ? [] : [`${seed}: ${inMemory} wait, ${onDisk} on disk`];
    });
    expect(wrong).toEqual([]);
  });
});

const ID = 'RF-01';
const MACHINE = machine(ID);
const MACHINE_ID = knownMachine(ID);

/** The records that the store would have on disk, by kind and key. */
class Disk {
  state: string | null = null;
  part: StoredState['parts'][number] | null = null;
  readonly downtimes = new Map<string, Downtime>();
  readonly spans = new Map<string, Span>();

  write(record: StoreRecord): void {
    if (record.kind === 'machineState') this.state = record.json;
    else if (record.kind === 'part') this.part = record;
    else if (record.kind === 'downtime') this.downtimes.set(record.downtime.downtimeId, record.downtime);
    else if (record.kind === 'span') this.spans.set(record.span.spanId, record.span);
  }

  stored(): StoredState {
    const open = [...this.downtimes.values()].filter(({ endedAt, reasonId }) => endedAt === null || reasonId === null);
    return {
      ...NO_STORED_STATE,
      machineStates: this.state === null ? [] : [{ machineId: MACHINE_ID, json: this.state }],
      parts: this.part === null ? [] : [this.part],
      openDowntimes: open,
    };
  }
}

/** One machine and its gateway, which is killed at any moment and comes back with the records on disk. */
class FloorWorld {
  readonly random: Random;
  readonly disk = new Disk();
  readonly log: string[] = [];
  floor: FloorUnderTest;
  /** The device's production since it was first heard, which the gateway must have counted. */
  made = 0;
  /** The last time that the device was heard, or that the gateway began to wait for it. */
  lastHeardMs: number;
  #device = { mSecSinceBoot: 1_000, goodPart: 0, running: true, machinePower: true, fault: false };
  #committed = 0;
  #isConfigured = true;

  constructor(seed: number) {
    this.random = seededRandom(seed);
    this.floor = new FloorUnderTest([MACHINE]);
    this.lastHeardMs = this.floor.now.monotonicMs;
    this.#send();
    this.commit(this.floor.handedOver.length);
  }

  get live(): LiveMachine | undefined {
    return this.floor.registry.get(ID);
  }

  /** Plays one event of a floor. */
  act(): void {
    const acts = [
      ...Array<() => void>(10).fill(this.#report),
      ...[this.#pause, this.#fallSilent, this.#reboot, this.#toggle, this.#toggle, this.#choosePart, this.#clearPart],
      ...[this.#categorize, this.#categorize, this.#save, this.#kill, this.#unplug, this.#field],
    ];
    const act = oneOf(this.#report, acts, this.random);
    this.log.push(act.name);
    act.call(this);
    this.#look();
  }

  /** Brings all records that were handed over to disk. */
  settle(): void {
    this.#plugIn();
    this.#report();
    this.floor.watch.stop();
    this.commit(this.floor.handedOver.length);
  }

  commit(upTo: number): void {
    for (const group of this.floor.handedOver.slice(this.#committed, upTo))
      group.map((record) => this.disk.write(record));
    this.#committed = Math.max(this.#committed, upTo);
  }

  readonly #report = (): void => {
    this.#pass(100 + Math.floor(this.random() * 2_000));
    this.#send();
  };

  readonly #pause = (): void => this.#pass(Math.floor(this.random() * 9_000));
  readonly #fallSilent = (): void => this.#pass(10_000 + Math.floor(this.random() * 60_000));

  readonly #toggle = (): void => {
    const name = oneOf('running', ['running', 'running', 'machinePower', 'fault'] as const, this.random);
    this.#device = { ...this.#device, [name]: !this.#device[name] };
    this.#report();
  };

  /** After a power cut the production between the last save and the reboot would be unknown, so all is saved before. */
  readonly #reboot = (): void => {
    if (!this.#isConfigured) return;
    this.#report();
    this.#save();
    this.#device = { ...this.#device, mSecSinceBoot: 0, goodPart: 0 };
    this.#send();
    this.#save();
  };

  readonly #field = (): void => {
    this.#pass(200);
    this.floor.field(ID, 'fault', String(this.#device.fault));
    if (this.#isConfigured) this.lastHeardMs = this.floor.now.monotonicMs;
  };

  readonly #choosePart = (): void => this.#person({ partId: oneOf('P-1', ['P-2'], this.random), partName: null });
  readonly #clearPart = (): void => this.#person(null);

  #person(part: { readonly partId: string; readonly partName: string | null } | null): void {
    const { live, floor } = this;
    if (live === undefined) return;
    const at = floor.now.wallMs;
    const input =
      part === null
        ? ({ type: 'clearPart', at } as const)
        : ({ type: 'selectPart', ...part, at, by: 'person' } as const);
    floor.registry.apply(live, input, floor.now, 'all');
    // A person's act is on disk before the page confirms it.
    this.#save();
  }

  readonly #categorize = (): void => {
    // The store keeps the order: a person's act comes behind the machine's earlier records.
    this.commit(this.floor.handedOver.length);
    const waiting = [...this.disk.downtimes.values()].filter(({ reasonId }) => reasonId === null);
    const chosen = waiting[Math.floor(this.random() * waiting.length)];
    if (chosen === undefined) return;
    const latest = this.live?.state.downtime;
    const downtime = { ...(latest?.downtimeId === chosen.downtimeId ? latest : chosen), reasonId: 'DT-01' };
    this.disk.write({ kind: 'downtime', downtime });
    const input = { type: 'downtimesChanged', downtimes: [downtime], removedIds: [] } as const;
    if (this.live === undefined) this.floor.registry.applyWhenBack(MACHINE_ID, input);
    else this.floor.registry.apply(this.live, input, this.floor.now, 'all');
  };

  /** Saves like the watch, with a disk that keeps up. */
  readonly #save = (): void => {
    if (this.live !== undefined) this.floor.handedOver.push([stateRecord(this.live)]);
    this.commit(this.floor.handedOver.length);
  };

  readonly #kill = (): void => {
    const { handedOver, now } = this.floor;
    const lost = Math.floor(this.random() * 4);
    this.commit(Math.max(this.#committed, handedOver.length - lost));
    const later = { monotonicMs: now.monotonicMs + 100, wallMs: now.wallMs + 100 };
    this.floor = new FloorUnderTest([MACHINE], this.disk.stored(), `life-${this.log.length}`, later);
    this.#committed = 0;
    this.#isConfigured = true;
    this.lastHeardMs = this.floor.now.monotonicMs;
  };

  readonly #unplug = (): void => {
    if (!this.#isConfigured) {
      this.#plugIn();
      return;
    }
    this.floor.registry.configure([], this.floor.now);
    this.#isConfigured = false;
  };

  #plugIn(): void {
    if (this.#isConfigured) return;
    this.floor.registry.configure([MACHINE], this.floor.now);
    this.#isConfigured = true;
    this.lastHeardMs = this.floor.now.monotonicMs;
  }

  #send(): void {
    this.floor.status(ID, { ...this.#device, cycle: this.#device.goodPart });
    if (this.#isConfigured) this.lastHeardMs = this.floor.now.monotonicMs;
  }

  #pass(milliseconds: number): void {
    this.floor.pass(milliseconds);
    const parts = this.#device.running ? Math.floor(milliseconds / 400) : 0;
    this.made += parts;
    const { mSecSinceBoot, goodPart } = this.#device;
    this.#device = { ...this.#device, mSecSinceBoot: mSecSinceBoot + milliseconds, goodPart: goodPart + parts };
    this.#look();
  }

  /** Does the work that the watch does every 50 ms, once after time has passed. */
  #look(): void {
    const { live, floor } = this;
    if (live === undefined) return;
    if (floor.now.monotonicMs >= live.dueAtMs) floor.registry.apply(live, { type: 'clock' }, floor.now, 'all');
  }
}
