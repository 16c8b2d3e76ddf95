import { isReboot, production } from '../counters/counters.ts';
import { countProduction, judgeFalls, noteReboot, settleFalls } from '../counters/counting.ts';
import type { Sender } from '../counters/sender.ts';
import { isSameSender, judgeSender, settleUncounted } from '../counters/senders.ts';
import { beginStop, endStop, settlePause } from '../downtime/downtime.ts';
import { takeDevicePart } from '../part-selection.ts';
import type { Transition } from '../transition.ts';
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
