import { isReboot, production } from '../counters/counters.ts';
import { countProduction, judgeFalls, noteReboot, settleFalls } from '../counters/counting.ts';
import type { Sender } from '../counters/sender.ts';
import { isSameSender, judgeSender, settleUncounted } from '../counters/senders.ts';
import { beginStop, endStop, settlePause } from '../downtime/downtime.ts';
import type { Transition } from '../machine-state.ts';
import type { PartSelection } from '../records.ts';
import type { FullStatus, KnownStatus } from './status.ts';

/**
 * Takes a full JSON status: it replaces everything known (D-01), unless it was delivered before (D-02) or comes from a
 * second device under the same id (D-59).
 */
export function takeStatus(
  transition: Transition,
  status: FullStatus,
  duplicate: boolean,
  sender: Sender | null,
): void {
  const { state } = transition;
  const before = state.known;
  if (isSameStatus(before, status) || (duplicate && isNotNewer(before, status))) {
    hear(transition);
    state.redelivered++;
    return;
  }
  const verdict = judgeSender(transition, status, sender);
  const isCounted = verdict !== 'ignored';
  // A status of the same client always decides, even if it seems to speak for two devices. One of another client is ignored.
  if (!isCounted && !isSameSender(state.sender, sender)) return;
  hear(transition);
  if (verdict === 'same') takeCounters(transition, status);
  if (isCounted && state.falls.length > 0) state.falls = [];
  if (isCounted && state.unheard.length > 0) state.unheard = [];
  if (state.freshSwitches.length > 0) state.freshSwitches = [];
  state.nameAhead = null;
  state.known = isCounted ? status : { ...status, ...countsOf(before) };
  settleUncounted(transition);
  settlePause(transition);
  takeRunning(transition, before.running);
  takeDevicePart(transition, before);
}

function countsOf({ mSecSinceBoot, cycle, goodPart, badPart }: KnownStatus): Partial<KnownStatus> {
  return { mSecSinceBoot, cycle, goodPart, badPart };
}

/** Counts the difference to the last status. */
function takeCounters(transition: Transition, status: FullStatus): void {
  const { state } = transition;
  const before = state.known;
  const rebooted = isReboot(before, status);
  if (rebooted) noteReboot(transition);
  if (state.uncounted !== null) return;
  settleFalls(transition, rebooted);
  judgeFalls(transition, status);
  countProduction(transition, production(before, status, state.unheard));
}

/** Notes a message of the machine: it is alive, and its time is known from here on. */
export function hear(transition: Transition): void {
  const { state, now } = transition;
  if (state.boots === 0) state.boots = 1;
  state.heard = now;
  state.silent = false;
  state.observedMs = now.monotonicMs;
}

/** Takes `running`: a change from true to false begins a stop, and true again ends it (D-07). */
export function takeRunning(transition: Transition, before: boolean | null): void {
  const { running } = transition.state.known;
  if (running === true) endStop(transition);
  else if (before === true) beginStop(transition);
}

function isNotNewer(before: KnownStatus, status: FullStatus): boolean {
  return status.mSecSinceBoot === before.mSecSinceBoot || isReboot(before, status);
}

/** Uptime comes first: in a status that is not a redelivery it nearly always differs. */
function isSameStatus(before: KnownStatus, status: FullStatus): boolean {
  return (
    before.mSecSinceBoot === status.mSecSinceBoot &&
    before.running === status.running &&
    before.machinePower === status.machinePower &&
    before.fault === status.fault &&
    before.override === status.override &&
    before.cycle === status.cycle &&
    before.goodPart === status.goodPart &&
    before.badPart === status.badPart &&
    before.goodPartTotal === status.goodPartTotal &&
    before.goodPartInputs === status.goodPartInputs &&
    before.piecesAtATime === status.piecesAtATime &&
    before.userId === status.userId &&
    before.partId === status.partId &&
    before.partName === status.partName &&
    before.jobNumber === status.jobNumber &&
    before.material === status.material
  );
}

interface PartChoice {
  readonly partId: string;
  readonly partName: string | null;
  readonly at: number;
  readonly by: PartSelection['selectedBy'];
}

/** Selects a part unless there was a later choice; a name once given stays with its part (DEV-15, D-09). */
export function selectPart(transition: Transition, choice: PartChoice): void {
  const { state, effects } = transition;
  if (isOutdated(transition, choice.at)) return;
  state.selectionAt = choice.at;
  const { partId, at } = choice;
  const known = state.selection?.partId === partId ? state.selection : null;
  const partName = choice.partName ?? known?.partName ?? null;
  if (known !== null && known.partName === partName) return;
  state.selection = { partId, partName, selectedAt: at, selectedBy: choice.by };
  effects.push({ type: 'partSelected', part: state.selection, at });
}

/** Removes the selection unless there was a later choice; rule 2 then fails. */
export function clearPart(transition: Transition, at: number): void {
  const { state, effects } = transition;
  if (isOutdated(transition, at)) return;
  state.selectionAt = at;
  if (state.selection === null) return;
  state.selection = null;
  effects.push({ type: 'partSelected', part: null, at });
}

/**
 * A part named by a device, in a status or by a field. It selects the part each time; a part with another id or name
 * than `before` is reported.
 */
export function takeDevicePart(transition: Transition, before: Pick<KnownStatus, 'partId' | 'partName'>): void {
  const { state, effects, now } = transition;
  const { partId, partName } = state.known;
  if (partId === null) return;
  const isRenamed = partName !== null && partName !== before.partName;
  if (partId !== before.partId || isRenamed) effects.push({ type: 'partReported', partId, partName });
  selectPart(transition, { partId, partName, at: Math.round(now.wallMs), by: 'device' });
}

/** A name that a device gives to its part: it is reported, and selects nothing (D-09). */
export function nameDevicePart(transition: Transition, partId: string, partName: string): void {
  const { state, effects } = transition;
  effects.push({ type: 'partReported', partId, partName });
  const { selection } = state;
  if (selection?.partId !== partId || selection.partName === partName) return;
  state.selection = { ...selection, partName };
  effects.push({ type: 'partSelected', part: state.selection, at: state.selectionAt });
}

/**
 * A choice with a time later than now was made before the wall clock was put back: it must not lock out later choices.
 */
function isOutdated({ state, now }: Transition, at: number): boolean {
  return at < state.selectionAt && state.selectionAt <= now.wallMs;
}
