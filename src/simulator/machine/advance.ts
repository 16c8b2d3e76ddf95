import { MINUTE_MS } from '../../domain/time.ts';
import { between, type Random } from '../random.ts';
import { drift } from './readings.ts';
import { type Command, isTalking, newCoil, nextJob, type SimulatedState, type Stop } from './simulated-state.ts';

/** The operator overrides a machine that gets no answer after this time (interface.md, Errors). */
export const UNREACHABLE_OVERRIDE_MS = 60_000;
export const BOOT_MS = 4_000;

/**
 * The machine `elapsedMs` later. It does what the interface asks of a device (Recommended device logic): `command` is
 * the last one that it got, null while the server cannot be reached; without permission it stands still unless
 * overridden. Coils run empty, jobs end, operators go on a break; some machines fault, fall silent or reboot.
 */
export function advance(
  state: SimulatedState,
  command: Command | null,
  elapsedMs: number,
  random: Random,
): SimulatedState {
  const later = pass(state, elapsedMs);
  const isBooting = state.stop?.kind === 'boot';
  if (!isBooting && happens(state.machine.pace.rebootEveryMs, elapsedMs, random)) return reboot(later);
  const settled = settleStop(listen(later, command, elapsedMs), elapsedMs, random);
  const running = settled.stop === null && settled.machinePower && (settled.allowed || settled.override);
  const isHalted = state.running && !running && settled.stop === null;
  const started: SimulatedState = { ...settled, running, lastStop: isHalted ? null : settled.lastStop };
  const worked = running ? work(started, elapsedMs, random) : started;
  const { silentEveryMs, silentMs } = state.machine.pace;
  // A machine that was silent speaks at least once before its next silence.
  const fallsSilent = worked.running && isTalking(state) && happens(silentEveryMs, elapsedMs, random);
  return {
    ...worked,
    silentMs: fallsSilent ? between(silentMs, random) : worked.silentMs,
    readings: drift(worked, elapsedMs, random),
  };
}

/** Whether an event that happens once in `everyMs` on average happens within `elapsedMs`. */
function happens(everyMs: number | null, elapsedMs: number, random: Random): boolean {
  return everyMs !== null && random() < elapsedMs / everyMs;
}

function pass(state: SimulatedState, elapsedMs: number): SimulatedState {
  return {
    ...state,
    poweredForMs: state.poweredForMs + elapsedMs,
    sinceBootMs: state.sinceBootMs + elapsedMs,
    silentMs: Math.max(0, state.silentMs - elapsedMs),
  };
}

function reboot(state: SimulatedState): SimulatedState {
  return {
    ...state,
    sinceBootMs: 0,
    boots: state.boots + 1,
    counters: { cycle: 0, goodPart: 0, badPart: 0 },
    running: false,
    machinePower: true,
    stop: { kind: 'boot', remainingMs: BOOT_MS },
    lastStop: 'boot',
    allowed: false,
    attentionNeeded: false,
    override: false,
    heldMs: 0,
    unreachableMs: 0,
    silentMs: 0,
  };
}

function listen(state: SimulatedState, command: Command | null, elapsedMs: number): SimulatedState {
  if (!isTalking(state)) return state;
  if (command === null) {
    const unreachableMs = state.unreachableMs + elapsedMs;
    return { ...state, unreachableMs, override: state.override || unreachableMs > UNREACHABLE_OVERRIDE_MS };
  }
  const { runEnabled: allowed, attentionNeeded } = command;
  const isHeld = !allowed && state.stop === null;
  const heldMs = isHeld ? state.heldMs + elapsedMs : 0;
  const override = !allowed && (state.override || heldMs > state.machine.pace.patienceMs);
  return { ...state, allowed, attentionNeeded, heldMs, override, unreachableMs: 0 };
}

function settleStop(state: SimulatedState, elapsedMs: number, random: Random): SimulatedState {
  const { stop, machine } = state;
  if (stop === null) return state;
  const remainingMs = stop.remainingMs - elapsedMs;
  if (remainingMs > 0) return { ...state, stop: { ...stop, remainingMs } };
  const freed: SimulatedState = { ...state, stop: null, machinePower: true };
  return stop.kind === 'coilChange' ? { ...freed, coil: newCoil(machine, random) } : freed;
}

function work(state: SimulatedState, elapsedMs: number, random: Random): SimulatedState {
  const worked = produce(state, elapsedMs, random);
  const { machine, coil, job } = worked;
  const { pace } = machine;
  if (coil.remainingFt === 0) return stopped(worked, 'coilChange', between(pace.coilChangeMs, random));
  if (job.partsLeft === 0) {
    const next: SimulatedState = { ...worked, job: nextJob(machine, job.jobNumber, random) };
    return stopped(next, 'setUp', between(pace.setUpMs, random));
  }
  if (happens(pace.faultEveryMs, elapsedMs, random)) return stopped(worked, 'fault', between(pace.faultMs, random));
  if (happens(pace.breakEveryMs, elapsedMs, random)) {
    const resting = stopped(worked, 'break', between(pace.breakMs, random));
    return { ...resting, machinePower: !machine.switchesOffAtBreaks };
  }
  return worked;
}

function stopped(state: SimulatedState, kind: Stop['kind'], remainingMs: number): SimulatedState {
  return { ...state, running: false, stop: { kind, remainingMs }, lastStop: kind };
}

/** The first pieces of a coil carry its outer wraps. */
const SCRAP_PARTS_AT_COIL_START = 2;
const SCRAP_SHARE = 0.004;

/**
 * The pieces that a running machine forms and cuts in `elapsedMs` at its present speed: a cycle is a cut, a cut is a part. The first
 * pieces of a coil and the tail that is left of it are scrap.
 */
function produce(state: SimulatedState, elapsedMs: number, random: Random): SimulatedState {
  const { coil, job, counters, readings } = state;
  const { lengthFt } = job.part;
  const fedFt = Math.min(coil.remainingFt, (readings.lineSpeed * elapsedMs) / MINUTE_MS);
  const formedFt = coil.uncutFt + fedFt;
  const remainingFt = coil.remainingFt - fedFt;
  const cuts = Math.min(job.partsLeft, Math.floor(formedFt / lengthFt));
  const scrap = countScrap(coil.partsCut, cuts, random);
  const tail = remainingFt === 0 ? 1 : 0;
  return {
    ...state,
    counters: {
      cycle: counters.cycle + cuts + tail,
      goodPart: counters.goodPart + cuts - scrap,
      badPart: counters.badPart + scrap + tail,
    },
    coil: { remainingFt, uncutFt: tail === 1 ? 0 : formedFt - cuts * lengthFt, partsCut: coil.partsCut + cuts },
    job: { ...job, partsLeft: job.partsLeft - cuts },
  };
}

function countScrap(partsCutBefore: number, cuts: number, random: Random): number {
  let scrap = 0;
  for (let part = partsCutBefore; part < partsCutBefore + cuts; part++) {
    if (part < SCRAP_PARTS_AT_COIL_START || random() < SCRAP_SHARE) scrap++;
  }
  return scrap;
}
