import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { advance, BOOT_MS, UNREACHABLE_OVERRIDE_MS } from '../../../src/simulator/machine/advance.ts';
import { simulatedMachines } from '../../../src/simulator/machine/rolling-line.ts';
import {
  type Command,
  isTalking,
  operatorOf,
  type SimulatedState,
  switchedOn,
} from '../../../src/simulator/machine/simulated-state.ts';
import { seededRandom } from '../../../src/simulator/random.ts';

const ALLOWED: Command = { runEnabled: true, attentionNeeded: false, message: null };
const HELD: Command = { runEnabled: false, attentionNeeded: false, message: 'Part not selected' };
const KINDS = 6;
const STEP_MS = 500;

const command = fc.constantFrom(ALLOWED, ALLOWED, ALLOWED, HELD, null);
const story = fc.array(fc.record({ command, elapsedMs: fc.integer({ min: 20, max: 5_000 }) }), { maxLength: 400 });
const place = fc.integer({ min: 0, max: KINDS - 1 });

function machineAt(kind: number, timeScale = 30) {
  const machine = simulatedMachines(KINDS, { timeScale })[kind];
  if (machine === undefined) throw new Error(`no machine at ${kind}`);
  return machine;
}

interface Step {
  readonly before: SimulatedState;
  readonly after: SimulatedState;
  readonly command: Command | null;
}

function play(
  kind: number,
  seed: number,
  moments: readonly { command: Command | null; elapsedMs: number }[],
): readonly Step[] {
  const random = seededRandom(seed);
  let state = switchedOn(machineAt(kind), random);
  return moments.map((moment) => {
    const before = state;
    state = advance(before, moment.command, moment.elapsedMs, random);
    return { before, after: state, command: moment.command };
  });
}

function whileAllowed(kind: number, steps: number): readonly Step[] {
  return play(
    kind,
    7,
    Array.from({ length: steps }, () => ({ command: ALLOWED, elapsedMs: STEP_MS })),
  );
}

function property(check: (step: Step) => void): void {
  fc.assert(
    fc.property(place, fc.nat(), story, (kind, seed, moments) => play(kind, seed, moments).forEach(check)),
    { numRuns: 200 },
  );
}

describe('a simulated machine', () => {
  it('DEV-06 counts only upwards, under any commands, until it reboots', () =>
    property(({ before, after }) => {
      if (after.boots !== before.boots) return;
      for (const name of ['cycle', 'goodPart', 'badPart'] as const) {
        expect(after.counters[name]).toBeGreaterThanOrEqual(before.counters[name]);
      }
      expect(after.sinceBootMs).toBeGreaterThan(before.sinceBootMs);
    }));

  it('DEV-07 begins with all counters at 0 when it reboots', () =>
    property(({ before, after }) => {
      if (after.boots === before.boots) return;
      expect(after).toMatchObject({ sinceBootMs: 0, counters: { cycle: 0, goodPart: 0, badPart: 0 }, running: false });
      expect(after.stop).toEqual({ kind: 'boot', remainingMs: BOOT_MS });
    }));

  it('makes one cycle for each part, good or bad', () =>
    property(({ after: { counters } }) => expect(counters.cycle).toBe(counters.goodPart + counters.badPart)));

  it('produces only while it runs', () =>
    property(({ before, after }) => {
      if (before.running || after.running || after.boots !== before.boots) return;
      expect(after.counters.cycle - before.counters.cycle).toBeLessThanOrEqual(1);
      if (after.stop === null || after.stop.kind === before.stop?.kind) expect(after.counters).toEqual(before.counters);
    }));

  it('DEV-12 stands still and makes no parts while the server does not allow it to run, unless it is overridden', () =>
    property(({ before, after, command: heard }) => {
      if (heard?.runEnabled !== false || !isTalking(after) || !isTalking(before) || after.override) return;
      expect(after.running).toBe(false);
      expect(after.counters).toEqual(before.counters);
    }));

  it('never runs without power or while it stands still by itself', () =>
    property(({ after }) => {
      if (after.running) expect(after).toMatchObject({ machinePower: true, stop: null });
    }));

  it('is the same machine for the same seed', () =>
    fc.assert(
      fc.property(place, fc.nat(), story, (kind, seed, moments) => {
        expect(play(kind, seed, moments)).toEqual(play(kind, seed, moments));
      }),
      { numRuns: 20 },
    ));

  it('DEV-14 is overridden by its operator when it was held for longer than he waits, until it is allowed again', () => {
    const machine = machineAt(0);
    const steps = Math.ceil(machine.pace.patienceMs / STEP_MS) + 2;
    const random = seededRandom(1);
    let state: SimulatedState = { ...switchedOn(machine, random), stop: null };
    for (let step = 0; step < steps; step++) state = advance(state, HELD, STEP_MS, random);
    expect(state).toMatchObject({ override: true, running: true });
    expect(advance(state, ALLOWED, STEP_MS, random)).toMatchObject({ override: false, running: true });
  });

  it('keeps its last permission while the server is away, and is overridden after a minute', () => {
    const random = seededRandom(1);
    const running = advance({ ...switchedOn(machineAt(0, 1), random), stop: null }, ALLOWED, STEP_MS, random);
    const soon = advance(running, null, UNREACHABLE_OVERRIDE_MS, random);
    expect(soon).toMatchObject({ running: true, override: false });
    expect(advance(soon, null, STEP_MS, random)).toMatchObject({ running: true, override: true });
  });

  it.each([
    ['coilChange', 0, 2_000],
    ['setUp', 1, 2_000],
    ['break', 2, 20_000],
    ['fault', 3, 4_000],
    ['boot', 5, 8_000],
  ] as const)('comes to a %s by itself and goes on afterwards (kind %i)', (kind, machine, count) => {
    const steps = whileAllowed(machine, count);
    const stopped = steps.findIndex(({ before, after }) => before.running && after.stop?.kind === kind);
    expect(stopped).toBeGreaterThan(0);
    expect(steps.slice(stopped).some(({ after }) => after.running)).toBe(true);
  });

  it('falls silent for 15 to 25 s now and then, and keeps its counters going', () => {
    const steps = whileAllowed(4, 4_000);
    const silences = steps.filter(({ before, after }) => before.silentMs === 0 && after.silentMs > 0);
    expect(silences.length).toBeGreaterThan(0);
    for (const { after } of silences) {
      expect(after.silentMs).toBeGreaterThanOrEqual(15_000);
      expect(after.silentMs).toBeLessThanOrEqual(25_000);
    }
    expect(steps.some(({ before, after }) => after.silentMs > 0 && after.counters.cycle > before.counters.cycle)).toBe(
      true,
    );
  });

  it('sends between two silences, for any number of silences', () => {
    const machine = machineAt(4);
    const restless = { ...machine, pace: { ...machine.pace, silentEveryMs: 1, silentMs: [600, 600] as const } };
    const random = seededRandom(3);
    let state: SimulatedState = { ...switchedOn(restless, random), stop: null };
    const spoke: boolean[] = [];
    for (let step = 0; step < 60; step++) {
      state = advance(state, ALLOWED, STEP_MS, random);
      spoke.push(isTalking(state));
    }
    expect(spoke.filter(Boolean).length).toBeGreaterThan(10);
    expect(spoke.filter((talks) => !talks).length).toBeGreaterThan(10);
  });

  it('scraps the first pieces of a coil and the tail of it', () => {
    const steps = whileAllowed(0, 3_000);
    const first = steps.findIndex(({ before, after }) => before.coil.partsCut === 0 && after.coil.partsCut > 0);
    const end = steps.find(({ after }) => after.stop?.kind === 'coilChange');
    expect(steps[first]?.after.counters.badPart).toBeGreaterThan(steps[first]?.before.counters.badPart ?? Infinity);
    expect(end?.after.counters.badPart).toBeGreaterThan(end?.before.counters.badPart ?? Infinity);
  });

  it('changes job, part and operator over the day', () => {
    const steps = whileAllowed(1, 6_000);
    const seen = <Value>(pick: (state: SimulatedState) => Value) => new Set(steps.map(({ after }) => pick(after))).size;
    expect(seen(({ job }) => job.jobNumber)).toBeGreaterThan(2);
    expect(seen(({ job }) => job.part.partId)).toBeGreaterThan(1);
    expect(seen(operatorOf)).toBeGreaterThan(1);
  });

  it('switches its power off at breaks if it is that kind of machine (DEV-08)', () => {
    const breaks = whileAllowed(0, 20_000).filter(({ after }) => after.stop?.kind === 'break');
    expect(breaks.length).toBeGreaterThan(0);
    expect(breaks.every(({ after }) => !after.machinePower)).toBe(true);
  });

  it('has a speed that rises and falls smoothly with its runs, never negative', () => {
    for (const { before, after } of whileAllowed(0, 3_000)) {
      expect(Math.abs(after.readings.lineSpeed - before.readings.lineSpeed)).toBeLessThan(45);
      expect(after.readings.lineSpeed).toBeGreaterThanOrEqual(0);
    }
  });
});
