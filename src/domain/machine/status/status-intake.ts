import { isReboot, production } from '../counters/counters.ts';
import { countProduction, judgeFalls, noteReboot, settleFalls } from '../counters/counting.ts';
import { beginStop, endStop } from '../downtime/downtime.ts';
import { settlePause } from '../downtime/pause.ts';
import { takeDevicePart } from '../part-selection.ts';
import type { Turn } from '../turn.ts';
import type { FullStatus, KnownStatus } from './status.ts';

/** A full JSON status: it replaces everything known (D-01), unless it was delivered before (D-02). */
export function takeStatus(turn: Turn, status: FullStatus, duplicate: boolean): void {
  const { state } = turn;
  const before = state.known;
  hear(turn);
  if (isSameStatus(before, status) || (duplicate && isNotNewer(before, status))) {
    state.redelivered++;
    return;
  }
  const rebooted = isReboot(before, status);
  if (rebooted) noteReboot(turn);
  settleFalls(turn, rebooted);
  judgeFalls(turn, status);
  countProduction(turn, production(before, status, state.unheard));
  if (state.unheard.length > 0) state.unheard = [];
  if (state.freshSwitches.length > 0) state.freshSwitches = [];
  state.known = status;
  settlePause(turn);
  takeRunning(turn, before.running);
  takeDevicePart(turn, before.partId);
}

/** The machine said something: it is alive, and from here on its time is known. */
export function hear(turn: Turn): void {
  const { state, now } = turn;
  if (state.boots === 0) state.boots = 1;
  state.heard = now;
  state.silent = false;
  state.observedMs = now.monotonicMs;
}

/** A stop is running that was true and is no more; running again ends it (D-07). */
export function takeRunning(turn: Turn, before: boolean | null): void {
  const { running } = turn.state.known;
  if (running === true) endStop(turn);
  else if (before === true) beginStop(turn);
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
