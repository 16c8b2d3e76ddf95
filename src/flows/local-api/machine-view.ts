import type { ShiftTally } from '../../domain/machine/counters/counters.ts';
import { RULES } from '../../domain/machine/decision.ts';
import { causeOf, type DecisionCause } from '../../domain/machine/decision-cause.ts';
import { factsOf, openDowntime } from '../../domain/machine/machine-state.ts';
import type {
  CounterAnomaly,
  Downtime,
  PartSelection,
  ShiftRecord,
  Span,
  WorkSession,
} from '../../domain/machine/records.ts';
import type { KnownStatus } from '../../domain/machine/status/status.ts';
import type { Machine, Part } from '../../domain/plant/plant.ts';
import { isoTime, isoTimeOrNull } from '../../domain/time.ts';
import type { LiveMachine } from '../device/live-machine.ts';

import type { TimedValue } from '../store-ports.ts';

/** A machine as `/api/local/machines` shows it (contract.md, Local API). */
export function machineView(live: LiveMachine, plant: { part(partId: string): Part | undefined }) {
  const { state, machine } = live;
  const { selection, known } = state;
  const open = openDowntime(state);
  return {
    machineId: machine.machineId,
    name: machine.name,
    topicRoot: machine.topicRoot,
    location: machine.location,
    area: machine.area ?? null,
    connection: live.connection,
    status: statusView(known),
    lastStatusAt: isoTimeOrNull(state.heard?.wallMs ?? null),
    decision: { ...state.decision, cause: causeView(causeOf(state, live.refused, live.since.decision)) },
    decisionSince: isoTimeOrNull(live.since.decision),
    rules: RULES.map(({ name, message, holds }) => ({ rule: name, message, holds: holds(factsOf(state)) })),
    part: selection === null ? null : partView(selection, plant.part(selection.partId)),
    openDowntime: open === null ? null : downtimeView(open),
    uncategorizedDowntimes: state.uncategorized.length,
    override: known.override === true,
    overrideSince: isoTimeOrNull(live.since.override),
    fault: known.fault === true,
    faultSince: isoTimeOrNull(live.since.fault),
    shift: shiftView(state.shift),
    activity: state.span?.endedAt === null ? state.span.activity : null,
    activitySince: state.span?.endedAt === null ? isoTime(state.span.startedAt) : null,
    boots: state.boots,
    shedMessages: live.shedMessages,
    messages: live.messages.total,
  };
}

/** A part and who selected it. A part that no person has confirmed is new (D-09). */
function partView({ partId, partName, selectedBy }: PartSelection, part: Part | undefined) {
  return { partId, partName: partName ?? part?.partName ?? null, isNew: part?.isNew ?? false, selectedBy };
}

/** The cause as it is sent, with its time as text (D-35). */
export type CauseView = DecisionCause extends infer Cause
  ? Cause extends DecisionCause
    ? Omit<Cause, 'since'> & { readonly since: string | null }
    : never
  : never;

function causeView(cause: DecisionCause | null): CauseView | null {
  return cause === null ? null : { ...cause, since: isoTimeOrNull(cause.since) };
}

/** The present shift, and its production. */
function shiftView({ period, totals }: ShiftTally) {
  const { shiftDate, shiftName, startMs, endMs } = period;
  const { goodParts, badParts } = totals;
  return { shiftDate, shiftName, startsAt: isoTime(startMs), endsAt: isoTime(endMs), goodParts, badParts };
}

export type MachineView = ReturnType<typeof machineView>;

/** The last status without the fields that the device never sent; null before its first message. */
function statusView(known: KnownStatus): Record<string, unknown> | null {
  const said = Object.entries(known).filter(([, value]) => value !== null);
  return said.length > 1 ? Object.fromEntries(said) : null;
}

export function downtimeView(downtime: Downtime) {
  return { ...downtime, startedAt: isoTime(downtime.startedAt), endedAt: isoTimeOrNull(downtime.endedAt) };
}

export function workSessionView(session: WorkSession) {
  const { startedAt, lastActiveAt, endedAt } = session;
  return {
    ...session,
    startedAt: isoTime(startedAt),
    lastActiveAt: isoTime(lastActiveAt),
    endedAt: isoTimeOrNull(endedAt),
  };
}

export function anomalyView(anomaly: CounterAnomaly) {
  return { ...anomaly, at: isoTime(anomaly.at) };
}

/** The spans of a timeline, the oldest first. A downtime that a person split gives a span for each of its parts. */
export function timelineView(spans: readonly Span[], downtimes: readonly Downtime[]) {
  return spans.flatMap((span) => {
    const { activity, startedAt, endedAt } = span;
    if (activity !== 'down') return [spanView(span)];
    const within = downtimes.map((one) => one.startedAt).filter((at) => at > startedAt && at < (endedAt ?? at + 1));
    const starts = [startedAt, ...within.sort((one, other) => one - other)];
    return starts.map((at, place) =>
      spanView({ ...span, startedAt: at, endedAt: starts[place + 1] ?? endedAt }, downtimes),
    );
  });
}

/** A span of the timeline. `downtimes` may name the reason for which the machine was down in it. */
export function spanView({ activity, startedAt, endedAt }: Span, downtimes: readonly Downtime[] = []) {
  const downtime =
    activity === 'down'
      ? downtimes.find((one) => one.startedAt <= startedAt && (one.endedAt ?? startedAt + 1) > startedAt)
      : undefined;
  const { downtimeId = null, reasonId = null } = downtime ?? {};
  return { state: activity, startedAt: isoTime(startedAt), endedAt: isoTimeOrNull(endedAt), downtimeId, reasonId };
}

/** A variable of the tracking list with its newest value. */
export function variableView({ variableDetails = [] }: Machine, name: string, newest: TimedValue | null) {
  const { label = null, unit = null } = variableDetails.find((detail) => detail.name === name) ?? {};
  return { name, label, unit, value: newest?.value ?? null, at: isoTimeOrNull(newest?.at ?? null) };
}

function wholeSeconds(milliseconds: number): number {
  return Math.round(milliseconds / 1_000);
}

function totalsView(shifts: readonly ShiftRecord[]) {
  const sum = (pick: (totals: ShiftRecord['totals']) => number) =>
    shifts.reduce((total, shift) => total + pick(shift.totals), 0);
  return {
    goodParts: sum((totals) => totals.goodParts),
    badParts: sum((totals) => totals.badParts),
    cycles: sum((totals) => totals.cycles),
    runningSeconds: wholeSeconds(sum((totals) => totals.runningMs)),
    stoppedSeconds: wholeSeconds(sum((totals) => totals.stoppedMs)),
    downSeconds: wholeSeconds(sum((totals) => totals.downMs)),
    faultSeconds: wholeSeconds(sum((totals) => totals.faultMs)),
    overrideSeconds: wholeSeconds(sum((totals) => totals.overrideMs)),
    offlineSeconds: wholeSeconds(sum((totals) => totals.offlineMs)),
  };
}

/** A day's production with its shifts (contract.md, `/production`). */
export function productionView(shiftDate: string, shifts: readonly ShiftRecord[]) {
  return {
    shiftDate,
    ...totalsView(shifts),
    shifts: shifts.map((shift) => ({ shift: shift.shiftName, ...totalsView([shift]) })),
  };
}
