import type { Sender } from '../../../src/domain/machine/counters/sender.ts';
import type { MachineEffect } from '../../../src/domain/machine/machine-effect.ts';
import type { MachineInput } from '../../../src/domain/machine/machine-input.ts';
import { type MachineId, machineId } from '../../../src/domain/machine/machine-names.ts';
import {
  createMachineState,
  DEFAULT_TIMING,
  type MachineContext,
  type MachineState,
  type MachineTiming,
} from '../../../src/domain/machine/machine-state.ts';
import { restore, serialise } from '../../../src/domain/machine/serialise.ts';
import { type FullStatus, parseStatus } from '../../../src/domain/machine/status/status.ts';
import { parseStatusField } from '../../../src/domain/machine/status/status-topic.ts';
import { step } from '../../../src/domain/machine/step.ts';
import { createShiftCalendar, type ShiftCalendar } from '../../../src/domain/shift/shift-calendar.ts';

/** 2026-06-01, 10:00 in Chicago: the middle of the day shift. */
export const MORNING = Date.UTC(2026, 5, 1, 15);
export const HOUR_MS = 3_600_000;

export const RF_01 = idOf('RF-01');

export function idOf(text: string): MachineId {
  const id = machineId(text);
  if (id === null) throw new Error(`${text} is no machine id`);
  return id;
}

export function calendarOf(timeZone: string, starts: readonly string[]): ShiftCalendar {
  const result = createShiftCalendar({
    timeZone,
    shifts: starts.map((start, place) => ({ name: `S${place}`, start })),
  });
  if (!result.ok) throw new Error(JSON.stringify(result.faults));
  return result.calendar;
}

export type StatusOverrides = Readonly<Record<string, unknown>>;

/** A status that passes rules 1 and 2, running, at 1 s since boot with all counters at 0. */
export function statusOf(overrides: StatusOverrides = {}): FullStatus {
  const result = parseStatus({
    machineId: 'RF-01',
    running: true,
    machinePower: true,
    override: false,
    mSecSinceBoot: 1000,
    cycle: 0,
    goodPart: 0,
    badPart: 0,
    partId: 'P-1',
    ...overrides,
  });
  if (!result.ok) throw new Error(JSON.stringify(result.faults));
  return result.status;
}

/** One machine with clocks that only move when told to; every step's effects are kept in `effects`. */
export class MachineUnderTest {
  state: MachineState;
  effects: readonly MachineEffect[] = [];
  readonly all: MachineEffect[] = [];
  monotonicMs = 5_000;
  wallMs = MORNING;
  readonly context: MachineContext;

  constructor(timing: Partial<MachineTiming> = {}, setupReasons: readonly string[] = ['SETUP']) {
    let ids = 0;
    this.context = {
      timing: { ...DEFAULT_TIMING, ...timing },
      shiftAt: calendarOf('America/Chicago', ['06:00', '18:00']).shiftAt,
      newId: () => `id-${++ids}`,
      setupReasons: new Set(setupReasons),
    };
    this.state = createMachineState(RF_01, this.now(), this.context);
  }

  now() {
    return { monotonicMs: this.monotonicMs, wallMs: this.wallMs };
  }

  wait(durationMs: number): this {
    this.monotonicMs += durationMs;
    this.wallMs += durationMs;
    return this;
  }

  input(input: MachineInput): this {
    const { state, effects } = step(this.state, input, this.now(), this.context);
    this.state = state;
    this.effects = effects;
    this.all.push(...effects);
    return this;
  }

  status(overrides: StatusOverrides = {}, duplicate = false, sender: Sender | null = null): this {
    return this.input({ type: 'status', status: statusOf(overrides), duplicate, sender });
  }

  field(name: string, payload: string, duplicate = false, sender: Sender | null = null): this {
    const result = parseStatusField(name, payload);
    if (!result.ok) throw new Error(JSON.stringify(result.faults));
    return this.input({ type: 'field', update: result.update, duplicate, sender });
  }

  clock(): this {
    return this.input({ type: 'clock' });
  }

  /** The gateway stops, stays down for a while and comes back with a monotonic clock that starts again. */
  restart(downMs: number): this {
    const json = serialise(this.state);
    this.wallMs += downMs;
    this.monotonicMs = 77;
    const result = restore(json, this.now());
    if (!result.ok) throw new Error(JSON.stringify(result.faults));
    this.state = result.state;
    this.effects = result.effects;
    this.all.push(...result.effects);
    return this;
  }

  /** The effects of one type, of the last step or of all of them. */
  last<T extends MachineEffect['type']>(type: T): Extract<MachineEffect, { type: T }>[] {
    return this.effects.filter((effect): effect is Extract<MachineEffect, { type: T }> => effect.type === type);
  }

  ever<T extends MachineEffect['type']>(type: T): Extract<MachineEffect, { type: T }>[] {
    return this.all.filter((effect): effect is Extract<MachineEffect, { type: T }> => effect.type === type);
  }

  get totals() {
    return this.state.shift.totals;
  }

  get message() {
    return this.state.decision.message;
  }
}
