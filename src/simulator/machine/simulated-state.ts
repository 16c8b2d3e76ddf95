import { between, oneOf, type Random } from '../random.ts';
import type { SamplePart, SimulatedMachine, StopKind } from './machine-design.ts';

/** The server's last command to a machine (interface.md, Command). */
export interface Command {
  readonly runEnabled: boolean;
  readonly attentionNeeded: boolean;
  readonly message: string | null;
}

export interface Stop {
  readonly kind: StopKind;
  readonly remainingMs: number;
}

/** `uncutFt`: the formed length that waits for the shear. */
export interface LoadedCoil {
  readonly remainingFt: number;
  readonly uncutFt: number;
  readonly partsCut: number;
}

export interface Job {
  readonly jobNumber: number;
  readonly part: SamplePart;
  readonly partsLeft: number;
}

/** The process variables, in feet a minute, degrees Fahrenheit and pounds a square inch. */
export interface Readings {
  readonly lineSpeed: number;
  readonly motorTemp: number;
  readonly hydraulicPressure: number;
}

/** A machine at one moment; durations in milliseconds. */
export interface SimulatedState {
  readonly machine: SimulatedMachine;
  readonly poweredForMs: number;
  readonly sinceBootMs: number;
  readonly boots: number;
  readonly counters: { readonly cycle: number; readonly goodPart: number; readonly badPart: number };
  readonly running: boolean;
  readonly machinePower: boolean;
  readonly stop: Stop | null;
  /** The reason for its last stop; null if the server held it. */
  readonly lastStop: StopKind | null;
  readonly coil: LoadedCoil;
  readonly job: Job;
  readonly readings: Readings;
  /** Whether the server last allowed running; false until its first command. */
  readonly allowed: boolean;
  readonly attentionNeeded: boolean;
  readonly override: boolean;
  /** The time for which the machine has been ready and not allowed to run. */
  readonly heldMs: number;
  readonly unreachableMs: number;
  /** The time for which the machine still sends and receives nothing. */
  readonly silentMs: number;
}

export const AMBIENT_TEMPERATURE_F = 72;
const FIRST_JOB_NUMBER = 24_000;

/** A machine that was just switched on, with a coil and a job: it runs as soon as it may. */
export function switchedOn(machine: SimulatedMachine, random: Random): SimulatedState {
  return {
    machine,
    poweredForMs: 0,
    sinceBootMs: 0,
    boots: 1,
    counters: { cycle: 0, goodPart: 0, badPart: 0 },
    running: false,
    machinePower: true,
    stop: null,
    lastStop: 'setUp',
    coil: newCoil(machine, random),
    job: nextJob(machine, FIRST_JOB_NUMBER + Math.floor(random() * 1_000), random),
    readings: { lineSpeed: 0, motorTemp: AMBIENT_TEMPERATURE_F, hydraulicPressure: 0 },
    allowed: false,
    attentionNeeded: false,
    override: false,
    heldMs: 0,
    unreachableMs: 0,
    silentMs: 0,
  };
}

export function newCoil(machine: SimulatedMachine, random: Random): LoadedCoil {
  return { remainingFt: between(machine.coilLengthFt, random), uncutFt: 0, partsCut: 0 };
}

export function nextJob(machine: SimulatedMachine, lastJobNumber: number, random: Random): Job {
  return {
    jobNumber: lastJobNumber + 1,
    part: oneOf(machine.firstPart, machine.otherParts, random),
    partsLeft: Math.round(between(machine.jobParts, random)),
  };
}

/** Whether it sends and receives messages: not while it starts up, and not while it is silent. */
export function isTalking({ stop, silentMs }: SimulatedState): boolean {
  return silentMs === 0 && stop?.kind !== 'boot';
}

/** The operator of the machine now: another one each shift. */
export function operatorOf({ machine, poweredForMs }: SimulatedState): string {
  const shift = Math.floor(poweredForMs / machine.pace.shiftMs);
  return machine.operators[(machine.seed + shift) % machine.operators.length] ?? '';
}
