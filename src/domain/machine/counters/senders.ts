import type { Now } from '../../time.ts';
import type { MachineState, Transition } from '../machine-state.ts';
import type { FullStatus, KnownStatus } from '../status/status.ts';
import {
  type Booted,
  type CounterReading,
  countersWentOn,
  isUptimeWrap,
  madeBetween,
  NO_COUNTERS,
  production,
} from './counters.ts';
import { countProduction, noteReboot } from './counting.ts';
import { bootIsPossible, LATE_BY_MS } from './impossible-boot.ts';
import type { OtherSender, Sender } from './sender.ts';

/** The time for which one of two devices must be silent before the other one counts. */
export const SENDER_SILENT_MS = 10_000;

/** Uptimes of two devices tell them apart if they booted this far from each other; else only their counters do. */
const BOOTS_APART_MS = 5_000;

/** No device makes so many parts and cycles within `SENDER_SILENT_MS`. */
export const IMPOSSIBLE_PARTS = 1_000;

/** The counters of a device that has just booted. */
const FROM_ZERO: CounterReading = { cycle: 0, goodPart: 0, badPart: 0 };
/** Counters from which nothing can be counted. */
const FROM_NOTHING: CounterReading = { cycle: null, goodPart: null, badPart: null };

/**
 * Whether a status comes from the device that counts (`same`), from one that takes its place (`another`), or from a
 * second device beside it (`ignored`). Two devices show themselves by uptimes or counters that do not follow each other
 * (D-59).
 */
export function judgeSender(
  transition: Transition,
  status: FullStatus,
  sender: Sender | null,
): 'same' | 'another' | 'ignored' {
  const { state, now } = transition;
  if (isJudged(state)) {
    if (isOfOther(state, status, now)) return takeOther(transition, status, sender);
    if (!goesOn(state, status, now)) return replaceSender(transition, status, sender);
    if (haveComeBack(state, status, now)) state.other = presentSender(state, false, false);
  }
  noteSender(transition, sender);
  noteUptime(transition, status.mSecSinceBoot);
  state.countedAtMs = now.monotonicMs;
  return 'same';
}

/** Whether a status belongs to a second device of another client, and changes nothing while the first one sends. */
export function isIgnored(state: MachineState, status: FullStatus, sender: Sender, now: Now): boolean {
  if (isSameSender(state.sender, sender)) return false;
  return isJudged(state) && isOfOther(state, status, now) && !mayTakeOver(state, now);
}

/** Notes the moment of the boot by an uptime: the earliest one, because messages may come late and never early. */
export function noteUptime({ state, now }: Transition, uptimeMs: number): void {
  const bootedMs = now.monotonicMs - uptimeMs;
  const isSameBoot = state.bootedMs !== null && uptimeMs >= (state.known.mSecSinceBoot ?? 0);
  state.bootedMs = isSameBoot ? Math.min(state.bootedMs ?? bootedMs, bootedMs) : bootedMs;
}

/**
 * Whether an uptime is ahead of the time that has passed. Both clocks are asked, because the monotonic one stands still
 * while the computer sleeps.
 */
export function hasLeapt({ known, heard, bootedMs }: MachineState, uptimeMs: number, now: Now): boolean {
  if (heard === null || bootedMs === null) return false;
  if (now.monotonicMs - uptimeMs >= bootedMs - LATE_BY_MS) return false;
  return uptimeMs - (known.mSecSinceBoot ?? 0) > now.wallMs - heard.wallMs + LATE_BY_MS;
}

/** Notes the client that sent a message. */
export function noteSender({ state }: Transition, sender: Sender | null): void {
  state.sender = kept(sender, state.sender);
}

/** Looks for a second device in an uptime that comes as a single field, before it is taken. */
export function judgeUptime(transition: Transition, after: number, sender: Sender | null): void {
  const { state, now } = transition;
  const before = state.known.mSecSinceBoot;
  if (before === null || state.bootedMs === null) return;
  const hasGoneBack = after < before && !isUptimeWrap(before, after, state.falls.length === 0);
  const isDoubtful = state.uncounted !== null || !bootIsPossible(state, after, now);
  if (hasGoneBack ? isDoubtful : hasLeapt(state, after, now)) distrustFields(transition, sender, hasGoneBack);
}

/**
 * Counts nothing for a while, because single fields do not tell which of two devices sent them. What both made meanwhile
 * is not counted either, if an uptime or a counter has gone back.
 */
export function distrustFields(transition: Transition, sender: Sender | null, hasGoneBack: boolean): void {
  const { state, now } = transition;
  reportTwo(transition, sender);
  if (hasGoneBack) state.uncounted = { from: FROM_NOTHING, before: null, sinceMs: now.monotonicMs };
  else state.uncounted ??= { from: FROM_NOTHING, before: countersOf(state.known), sinceMs: now.monotonicMs };
}

/** Counts what was held back, once no second device has shown itself for a while. */
export function settleUncounted(transition: Transition): void {
  const { state, now } = transition;
  const { uncounted, other } = state;
  if (uncounted === null || now.monotonicMs - uncounted.sinceMs < SENDER_SILENT_MS) return;
  state.uncounted = null;
  if (other !== null) state.other = { ...other, isFormer: false };
  countProduction(transition, production(uncounted.before ?? uncounted.from, state.known, NO_COUNTERS));
}

/** After the gateway was away, the first uptime is the beginning. */
function isJudged({ known, bootedMs }: MachineState): boolean {
  return known.mSecSinceBoot !== null && bootedMs !== null;
}

/** Whether a status can be the next one of the device that counts. */
function goesOn(state: MachineState, status: FullStatus, now: Now): boolean {
  const before = state.known.mSecSinceBoot ?? 0;
  const after = status.mSecSinceBoot;
  if (!countersWentOn(state.known, status)) return false;
  return after < before ? isUptimeWrap(before, after, true) : !hasLeapt(state, after, now);
}

/** Whether a status fits the second device, and fits it better than the one that counts. */
function isOfOther(state: MachineState, status: FullStatus, now: Now): boolean {
  const { other, known } = state;
  if (other === null || !fits(other, status, now)) return false;
  if (!goesOn(state, status, now)) return true;
  if (now.monotonicMs - other.heardMs >= SENDER_SILENT_MS) return false;
  const bootedMs = now.monotonicMs - status.mSecSinceBoot;
  const presentMs = state.bootedMs ?? bootedMs;
  if (Math.abs(other.bootedMs - presentMs) > BOOTS_APART_MS) {
    return Math.abs(bootedMs - other.bootedMs) < Math.abs(bootedMs - presentMs);
  }
  return madeBetween(known, status) - madeBetween(other.reading, status) > IMPOSSIBLE_PARTS;
}

/**
 * Whether counters that fell a moment ago are where they were before. A single device may have made these few parts
 * meanwhile, so they count (D-02). Counters that fall again to where they had fallen show a second device.
 */
function haveComeBack({ known, other }: MachineState, status: FullStatus, now: Now): boolean {
  if (other === null || !other.isFormer || other.hasBooted) return false;
  if (now.monotonicMs - other.heardMs >= SENDER_SILENT_MS || !fits(other, status, now)) return false;
  return madeBetween(other.reading, status) < madeBetween(known, status);
}

function fits({ reading, bootedMs }: OtherSender, status: FullStatus, { monotonicMs }: Now): boolean {
  const isSameBoot = Math.abs(monotonicMs - status.mSecSinceBoot - bootedMs) <= LATE_BY_MS;
  return isSameBoot && status.mSecSinceBoot >= (reading.mSecSinceBoot ?? 0) && countersWentOn(reading, status);
}

/** A device that counted a moment ago goes on. Any other one waits until the device that counts is silent. */
function mayTakeOver(state: MachineState, now: Now): boolean {
  const { other } = state;
  if (other === null) return false;
  return isSilent(state, now) || (other.isFormer && now.monotonicMs - other.heardMs < SENDER_SILENT_MS);
}

function isSilent({ countedAtMs }: MachineState, { monotonicMs }: Now): boolean {
  return countedAtMs !== null && monotonicMs - countedAtMs >= SENDER_SILENT_MS;
}

function takeOther(transition: Transition, status: FullStatus, sender: Sender | null): 'another' | 'ignored' {
  const { state, now } = transition;
  const { other } = state;
  reportTwo(transition, sender);
  if (other === null) return 'another';
  if (!mayTakeOver(state, now)) {
    const from = state.uncounted?.from ?? countersOf(state.known);
    state.other = { ...other, reading: bootedOf(status), heardMs: now.monotonicMs, sender: kept(sender, other.sender) };
    state.uncounted = { from, before: null, sinceMs: now.monotonicMs };
    return 'ignored';
  }
  // Nothing is held back from a device that goes on alone.
  const sinceMs = isSilent(state, now) ? -Infinity : now.monotonicMs;
  state.other = presentSender(state, false, false);
  state.uncounted = { from: other.counted, before: null, sinceMs };
  state.sender = kept(sender, other.sender);
  state.bootedMs = now.monotonicMs - status.mSecSinceBoot;
  state.countedAtMs = now.monotonicMs;
  return 'another';
}

/** A status that neither device can have sent: after a boot, after counters fell, or of a device that is new. */
function replaceSender(transition: Transition, status: FullStatus, sender: Sender | null): 'same' | 'another' {
  const { state, now } = transition;
  const { known, uncounted } = state;
  const after = status.mSecSinceBoot;
  const isAhead = after >= (known.mSecSinceBoot ?? 0);
  const isImpossible = isAhead ? hasLeapt(state, after, now) : !bootIsPossible(state, after, now);
  const isSameClient = isSameSender(state.sender, sender);
  const hasWentOn = countersWentOn(known, status);
  // One client whose uptime goes back has set its clock, unless the former uptime comes back.
  if (isImpossible && isSameClient && !isAhead) noteReboot(transition);
  else if (isImpossible) reportTwo(transition, sender);
  state.other = presentSender(state, true, !isAhead);
  state.sender = kept(sender, state.sender);
  state.bootedMs = now.monotonicMs - after;
  state.countedAtMs = now.monotonicMs;
  if (!isImpossible) {
    if (uncounted !== null && !hasWentOn) state.uncounted = { ...uncounted, from: FROM_ZERO, before: null };
    return 'same';
  }
  const before = isSameClient && hasWentOn ? (uncounted?.before ?? uncounted?.from ?? countersOf(known)) : null;
  state.uncounted = { from: countersOf(status), before, sinceMs: uncounted?.sinceMs ?? now.monotonicMs };
  return 'another';
}

/** The device that counts, as it is kept when another one takes its place. */
function presentSender(
  { known, countedAtMs, uncounted, sender, bootedMs }: MachineState,
  isFormer: boolean,
  hasBooted: boolean,
): OtherSender | null {
  if (countedAtMs === null || bootedMs === null) return null;
  const counted = uncounted?.from ?? countersOf(known);
  return { reading: bootedOf(known), counted, heardMs: countedAtMs, sender, bootedMs, isFormer, hasBooted };
}

function reportTwo({ state, effects, now }: Transition, sender: Sender | null): void {
  effects.push({ type: 'twoSenders', at: now.wallMs, senders: [state.sender, kept(sender, null)] });
}

function countersOf({ cycle, goodPart, badPart }: KnownStatus): CounterReading {
  return { cycle, goodPart, badPart };
}

function bootedOf(known: KnownStatus): Booted {
  return { mSecSinceBoot: known.mSecSinceBoot, ...countersOf(known) };
}

/** An id of a client is its name; a client without one is known by its address. */
export function isSameSender(one: Sender | null, other: Sender | null): boolean {
  if (one === null || other === null) return one === other;
  if (one.transport !== other.transport || one.clientId !== other.clientId) return false;
  return one.clientId !== undefined || one.address === other.address;
}

/** A copy, because a message's origin also holds its bytes; the former copy if it is the same client. */
function kept(sender: Sender | null, former: Sender | null): Sender | null {
  if (sender === null || isSameSender(sender, former)) return former;
  const { transport, clientId, address } = sender;
  return { transport, ...(clientId !== undefined && { clientId }), ...(address !== undefined && { address }) };
}
