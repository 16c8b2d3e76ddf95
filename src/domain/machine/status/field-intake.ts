import type { Now } from '../../time.ts';
import { counterDifference, isUptimeWrap } from '../counters/counters.ts';
import { countProduction, madeOf, noteReboot, recordAnomaly, settleFalls } from '../counters/counting.ts';
import type { Sender } from '../counters/sender.ts';
import {
  distrustFields,
  IMPOSSIBLE_PARTS,
  judgeUptime,
  noteSender,
  noteUptime,
  SENDER_SILENT_MS,
  settleUncounted,
} from '../counters/senders.ts';
import { settlePause } from '../downtime/downtime.ts';
import type { MachineState, Transition } from '../machine-state.ts';
import type { CounterName, SwitchField } from './status-fields.ts';
import { hear, nameDevicePart, takeDevicePart, takeRunning } from './status-intake.ts';
import type { FieldUpdate } from './status-topic.ts';

/** Takes one field alone: it is merged into the known fields (MQTT-04) and counts as a status for rule 3 (MQTT-05). */
export function takeField(
  transition: Transition,
  update: FieldUpdate,
  duplicate: boolean,
  sender: Sender | null,
): void {
  if (update.field === 'mSecSinceBoot' && !duplicate) judgeUptime(transition, update.value, sender);
  noteSender(transition, sender);
  hear(transition);
  switch (update.field) {
    case 'machineId':
      break;
    case 'running':
    case 'machinePower':
    case 'fault':
    case 'override':
      takeSwitch(transition, update.field, update.value);
      break;
    case 'mSecSinceBoot':
      takeUptime(transition, update.value, duplicate);
      break;
    case 'cycle':
    case 'goodPart':
    case 'badPart':
      takeCounter(transition, update.field, update.value, duplicate, sender);
      break;
    case 'partId':
      takePartId(transition, update.value);
      break;
    case 'partName':
      takePartName(transition, update.value);
      break;
    default:
      transition.state.known = { ...transition.state.known, [update.field]: update.value };
  }
}

function takeSwitch(transition: Transition, field: SwitchField, value: boolean): void {
  const { state } = transition;
  const runningBefore = state.known.running;
  state.known = { ...state.known, [field]: value };
  if (!state.freshSwitches.includes(field)) state.freshSwitches = [...state.freshSwitches, field];
  if (field === 'running') takeRunning(transition, runningBefore);
}

/**
 * A lower mSecSinceBoot is a reboot, here as in a full status; fields come alone, so the counters cannot prove a wrap.
 */
function takeUptime(transition: Transition, after: number, duplicate: boolean): void {
  const { state } = transition;
  const before = state.known.mSecSinceBoot;
  const isLower = before !== null && after < before && !isUptimeWrap(before, after, state.falls.length === 0);
  if (isLower && duplicate) {
    state.redelivered++;
    return;
  }
  if (isLower) restartFields(transition);
  settleFalls(transition, isLower);
  noteUptime(transition, after);
  state.known = { ...state.known, mSecSinceBoot: after };
  state.freshSwitches = [];
  settlePause(transition, 'mSecSinceBoot');
}

/**
 * Switches stay until the device reboots (D-01), except those that it set since its last mSecSinceBoot: it may have
 * sent them after booting, before its uptime. Texts stay, because a reboot ends no work session (D-10).
 */
function restartFields(transition: Transition): void {
  const { state } = transition;
  const runningBefore = state.known.running;
  const kept = (field: SwitchField) => (state.freshSwitches.includes(field) ? state.known[field] : null);
  noteReboot(transition);
  state.known = {
    ...state.known,
    running: kept('running'),
    machinePower: kept('machinePower'),
    fault: kept('fault'),
    override: kept('override'),
  };
  takeRunning(transition, runningBefore);
}

function takeCounter(
  transition: Transition,
  counter: CounterName,
  after: number,
  duplicate: boolean,
  sender: Sender | null,
): void {
  const { state } = transition;
  const before = state.known[counter];
  const made = before === null ? 0 : counterDifference(before, after);
  const isRestarted = state.unheard.includes(counter);
  if (before !== null && after < before && duplicate && !isRestarted) {
    state.redelivered++;
    return;
  }
  if (hasComeBack(state, counter, after, transition.now)) distrustFields(transition, sender, true);
  if (state.uncounted === null) {
    if (before !== null && made === null && !isRestarted) noteFall(transition, counter, before, after);
    else
      countProduction(
        transition,
        madeOf(counter, isRestarted && before !== null && after < before ? after : (made ?? 0)),
      );
  }
  if (isRestarted) state.unheard = state.unheard.filter((other) => other !== counter);
  state.known = { ...state.known, [counter]: after };
  settleUncounted(transition);
  settlePause(transition, counter);
}

/**
 * Whether a counter that fell a moment ago is where it was before, too soon for the parts in between: then two devices
 * send it in turns (D-59).
 */
function hasComeBack({ latestFalls }: MachineState, counter: CounterName, after: number, now: Now): boolean {
  return latestFalls.some(
    (fall) =>
      fall.counter === counter &&
      after >= fall.from &&
      after - fall.to > IMPOSSIBLE_PARTS &&
      now.monotonicMs - fall.at < SENDER_SILENT_MS,
  );
}

/**
 * Notes a counter that fell. It may arrive before the mSecSinceBoot that shows the reboot. So the fall waits for the
 * next mSecSinceBoot; for a machine that never sent one it is an anomaly at once.
 */
function noteFall(transition: Transition, counter: CounterName, from: number, to: number): void {
  const { state, now } = transition;
  const fall = { counter, from, to, at: now.wallMs };
  const earlier = state.falls.find((known) => known.counter === counter);
  if (earlier !== undefined) recordAnomaly(transition, earlier);
  if (state.known.mSecSinceBoot === null) recordAnomaly(transition, fall);
  else state.falls = [...state.falls.filter((known) => known !== earlier), fall];
  const others = state.latestFalls.filter((known) => known.counter !== counter);
  state.latestFalls = [...others, { ...fall, at: now.monotonicMs }];
}

/**
 * Takes the id of the part. A new part does not keep the name of the one before (DEV-15): its name came just before its
 * id, or comes after it.
 */
function takePartId(transition: Transition, partId: string | null): void {
  const { state } = transition;
  const before = state.known;
  const isNameOfThis = before.partId === null || before.partId === partId;
  state.known = { ...before, partId, partName: state.nameAhead ?? (isNameOfThis ? before.partName : null) };
  state.nameAhead = null;
  takeDevicePart(transition, before);
}

/**
 * Takes the name of the part. A part without a name gets it. If the part has another, a PLC may have sent the name
 * before the id of the next part, so the name waits for the next partId.
 */
function takePartName(transition: Transition, partName: string | null): void {
  const { state } = transition;
  const before = state.known;
  const isOfThis = before.partId === null || before.partName === null || before.partName === partName;
  state.nameAhead = isOfThis ? null : partName;
  if (!isOfThis && partName !== null) return;
  state.known = { ...before, partName };
  if (before.partId === null || partName === null || partName === before.partName) return;
  nameDevicePart(transition, before.partId, partName);
}
