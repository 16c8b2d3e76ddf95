import { isUptimeWrap } from '../counters/counters.ts';
import { countProduction, madeOf, noteReboot, recordAnomaly, settleFalls } from '../counters/counting.ts';
import { settlePause } from '../downtime/pause.ts';
import { takeDevicePart } from '../part-selection.ts';
import type { Turn } from '../turn.ts';
import type { CounterName, SwitchField } from './status-fields.ts';
import { hear, takeRunning } from './status-intake.ts';
import type { FieldUpdate } from './status-topic.ts';

/** One field alone: it is merged into what is known (MQTT-04) and counts as a status for rule 3 (MQTT-05). */
export function takeField(turn: Turn, update: FieldUpdate, duplicate: boolean): void {
  hear(turn);
  switch (update.field) {
    case 'machineId':
      break;
    case 'running':
    case 'machinePower':
    case 'fault':
    case 'override':
      takeSwitch(turn, update.field, update.value);
      break;
    case 'mSecSinceBoot':
      takeUptime(turn, update.value, duplicate);
      break;
    case 'cycle':
    case 'goodPart':
    case 'badPart':
      takeCounter(turn, update.field, update.value, duplicate);
      break;
    default:
      takeOther(turn, update);
  }
}

function takeSwitch(turn: Turn, field: SwitchField, value: boolean): void {
  const { state } = turn;
  const runningBefore = state.known.running;
  state.known = { ...state.known, [field]: value };
  if (!state.freshSwitches.includes(field)) state.freshSwitches = [...state.freshSwitches, field];
  if (field === 'running') takeRunning(turn, runningBefore);
}

/** A lower mSecSinceBoot is a reboot, here as in a full status; fields come alone, so the counters cannot gainsay a wrap. */
function takeUptime(turn: Turn, after: number, duplicate: boolean): void {
  const { state } = turn;
  const before = state.known.mSecSinceBoot;
  const isLower = before !== null && after < before && !isUptimeWrap(before, after, state.falls.length === 0);
  if (isLower && duplicate) {
    state.redelivered++;
    return;
  }
  if (isLower) restartFields(turn);
  settleFalls(turn, isLower);
  state.known = { ...state.known, mSecSinceBoot: after };
  state.freshSwitches = [];
  settlePause(turn, 'mSecSinceBoot');
}

/**
 * Switches stand until the device reboots (D-01), except those it set since its last mSecSinceBoot: it may have sent them
 * after booting, before its uptime. Texts stay, for a reboot ends no work session (D-10).
 */
function restartFields(turn: Turn): void {
  const { state } = turn;
  const runningBefore = state.known.running;
  const kept = (field: SwitchField) => (state.freshSwitches.includes(field) ? state.known[field] : null);
  noteReboot(turn);
  state.known = {
    ...state.known,
    running: kept('running'),
    machinePower: kept('machinePower'),
    fault: kept('fault'),
    override: kept('override'),
  };
  takeRunning(turn, runningBefore);
}

function takeCounter(turn: Turn, counter: CounterName, after: number, duplicate: boolean): void {
  const { state } = turn;
  const before = state.known[counter];
  const isLower = before !== null && after < before;
  const isRestarted = state.unheard.includes(counter);
  if (isLower && duplicate && !isRestarted) {
    state.redelivered++;
    return;
  }
  if (isLower && !isRestarted) noteFall(turn, counter, before, after);
  else countProduction(turn, madeOf(counter, isLower ? after : after - (before ?? after)));
  if (isRestarted) state.unheard = state.unheard.filter((other) => other !== counter);
  state.known = { ...state.known, [counter]: after };
  settlePause(turn, counter);
}

/** A counter may be heard before the mSecSinceBoot that tells of the reboot: where one is ever sent, it decides. */
function noteFall(turn: Turn, counter: CounterName, from: number, to: number): void {
  const { state, now } = turn;
  const fall = { counter, from, to, at: now.wallMs };
  const earlier = state.falls.find((known) => known.counter === counter);
  if (earlier !== undefined) recordAnomaly(turn, earlier);
  if (state.known.mSecSinceBoot === null) recordAnomaly(turn, fall);
  else state.falls = [...state.falls.filter((known) => known !== earlier), fall];
}

function takeOther(turn: Turn, update: Exclude<FieldUpdate, { readonly field: 'machineId' }>): void {
  const { state } = turn;
  const partBefore = state.known.partId;
  state.known = { ...state.known, [update.field]: update.value };
  if (update.field === 'partId' || update.field === 'partName') takeDevicePart(turn, partBefore);
}
