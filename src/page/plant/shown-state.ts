import type { RuleName } from '../../domain/machine/decision.ts';
import type { TaskView as Task } from '../../domain/warehouse/task.ts';
import type { MachineView } from '../../flows/local-api/machine-view.ts';

export type Machine = MachineView;

/** The state in which a machine is shown: the first that holds. */
export type ShownState =
  | 'silent'
  | 'override'
  | 'held'
  | 'fault'
  | 'faultRunning'
  | 'soon'
  | 'off'
  | 'stopped'
  | 'running';

/** A message that is older than this is late; at 10 s the machine is held. */
const LATE_MS = 5_000;

/** The state that is shown for a rule that fails, unless a more urgent state is shown. */
const STATE_BY_RULE: Readonly<Record<RuleName, 'silent' | 'held' | 'off'>> = {
  power: 'off',
  part: 'held',
  responding: 'silent',
  downtime: 'held',
};

/** The state to show. `lateTask` is the task of a coil that should already be at the machine. */
export function shownState(machine: Machine, nowMs: number, lateTask: Task | null): ShownState {
  const failing = firstFailing(machine);
  const byRule = failing === null ? null : STATE_BY_RULE[failing.rule];
  const isRunning = machine.activity === 'running';
  // The device sends, but its messages are refused. This needs a person as much as silence does (D-35).
  if (byRule === 'silent' || machine.decision.cause?.kind === 'messagesRefused') return 'silent';
  if (machine.override) return 'override';
  if (byRule === 'held') return 'held';
  if (machine.fault) return isRunning ? 'faultRunning' : 'fault';
  if (byRule === 'off') return 'off';
  if (lateTask !== null || machine.part?.isNew || isLate(machine, nowMs)) return 'soon';
  return isRunning ? 'running' : 'stopped';
}

/** The rule that holds the machine; null: it may run. */
export function firstFailing({ rules }: Machine): Machine['rules'][number] | null {
  return rules.find(({ holds }) => !holds) ?? null;
}

function isLate({ lastStatusAt }: Machine, nowMs: number): boolean {
  return lastStatusAt !== null && nowMs - Date.parse(lastStatusAt) > LATE_MS;
}

export function needsPerson(state: ShownState): boolean {
  return state === 'held' || state === 'fault' || state === 'silent';
}

export function isQuiet(state: ShownState): boolean {
  return state === 'off' || state === 'stopped' || state === 'running';
}

/**
 * The order in which machines are shown, the smallest number first: red, hatched, amber, blue, then the quiet states.
 */
export const RANK: Readonly<Record<ShownState, number>> = {
  held: 0,
  fault: 0,
  silent: 1,
  faultRunning: 2,
  soon: 2,
  override: 3,
  off: 4,
  stopped: 5,
  running: 6,
};

/**
 * The start of the shown state in wall-clock milliseconds. Null if it is not known: it began before the gateway
 * started, or the machine was never heard.
 */
export function sinceOf(machine: Machine, state: ShownState, lateTask: Task | null): number | null {
  const { openDowntime, decisionSince, faultSince, overrideSince, lastStatusAt, activitySince } = machine;
  switch (state) {
    case 'silent':
      return timeOf(lastStatusAt);
    case 'soon':
      return timeOf(lateTask?.requiredDate ?? (machine.part?.isNew ? activitySince : lastStatusAt));
    case 'override':
      return timeOf(overrideSince ?? activitySince);
    case 'fault':
    case 'faultRunning':
      return timeOf(faultSince ?? activitySince);
    case 'held':
      return timeOf(decisionSince ?? openDowntime?.startedAt ?? activitySince);
    case 'off':
      return timeOf(decisionSince ?? activitySince);
    case 'stopped':
    case 'running':
      return timeOf(activitySince);
  }
}

function timeOf(text: string | null): number | null {
  return text === null ? null : Date.parse(text);
}
