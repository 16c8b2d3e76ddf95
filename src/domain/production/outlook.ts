import type { PlannedShift } from '../shift/work-plan.ts';
import { HOUR_MS } from '../time.ts';
import { clipped, lengthMs, type TimeSpan, without } from '../time-spans.ts';

/** An hour of a shift. The first one begins with the shift, and the last one may be shorter. */
export interface PlannedHour extends TimeSpan {
  readonly shiftName: string;
  /** Its planned time without breaks. */
  readonly work: readonly TimeSpan[];
  /** Its share of the target of the shift; null: the machine has none. */
  readonly targetParts: number | null;
}

/** The hours of shifts, with the target spread over their planned time without breaks. */
export function plannedHours(
  shifts: readonly PlannedShift[],
  targetPartsPerShift: number | null,
): readonly PlannedHour[] {
  return shifts.flatMap(({ shiftName, startMs, endMs, isPlanned, breaks }) => {
    const work = isPlanned ? without([{ from: startMs, to: endMs }], breaks) : [];
    const wholeMs = lengthMs(work);
    return Array.from({ length: Math.ceil((endMs - startMs) / HOUR_MS) }, (_, hour) => {
      const from = startMs + hour * HOUR_MS;
      const span = { from, to: Math.min(from + HOUR_MS, endMs) };
      const own = clipped(work, span);
      const share = wholeMs === 0 ? 0 : lengthMs(own) / wholeMs;
      const targetParts = targetPartsPerShift === null ? null : targetPartsPerShift * share;
      return { ...span, shiftName, work: own, targetParts };
    });
  });
}

/** Whether a production day will reach its target. */
export interface Outlook {
  readonly goodParts: number;
  readonly targetParts: number;
  readonly targetByNow: number;
  /** The good parts at the end of the last planned hour, at the present pace. */
  readonly forecastParts: number;
  /** At which the forecast holds, in wall-clock milliseconds. */
  readonly endsAt: number;
  readonly partsPerHour: number;
  /** The pace that reaches the target from now on; null: no planned time is left. */
  readonly neededPerHour: number | null;
  /** Less than an hour of the plan has passed, so the pace is the target's. */
  readonly isEarly: boolean;
}

/** The planned time before now whose pace goes on. */
const PACE_MS = 2 * HOUR_MS;
/** Below this planned time nothing can be said of the pace. */
const EARLY_MS = HOUR_MS;

/**
 * The parts made so far, plus the pace of the last two hours of planned time for the planned time that is left. Null without a
 * target, or without planned time. `hours` are all hours of a production day with the good parts made in them.
 */
export function outlookOf(
  hours: readonly (PlannedHour & { readonly goodParts: number })[],
  nowMs: number,
): Outlook | null {
  const planned = hours.filter(({ work }) => work.length > 0);
  const last = planned.at(-1);
  const targetParts = hours.reduce((sum, hour) => sum + (hour.targetParts ?? 0), 0);
  if (last === undefined || targetParts === 0) return null;
  const workMs = (hour: PlannedHour, span: TimeSpan) => lengthMs(clipped(hour.work, span));
  const over = { from: Number.NEGATIVE_INFINITY, to: nowMs };
  const sum = (partOf: (hour: (typeof planned)[number]) => number) =>
    planned.reduce((total, hour) => total + partOf(hour), 0);
  const wholeMs = sum(({ work }) => lengthMs(work));
  const passedMs = sum((hour) => workMs(hour, over));
  const leftMs = wholeMs - passedMs;
  const goodParts = hours.reduce((total, hour) => total + hour.goodParts, 0);
  const isEarly = passedMs < EARLY_MS;
  const pace = isEarly ? targetParts / wholeMs : paceOf(planned, nowMs);
  return {
    goodParts,
    targetParts,
    targetByNow: sum((hour) => ((hour.targetParts ?? 0) * workMs(hour, over)) / lengthMs(hour.work)),
    forecastParts: goodParts + pace * leftMs,
    endsAt: last.work.at(-1)?.to ?? last.to,
    partsPerHour: pace * HOUR_MS,
    neededPerHour: leftMs === 0 ? null : (Math.max(0, targetParts - goodParts) / leftMs) * HOUR_MS,
    isEarly,
  };
}

/** Good parts a millisecond over the hours that make up the last PACE_MS of planned time. */
function paceOf(planned: readonly (PlannedHour & { readonly goodParts: number })[], nowMs: number): number {
  let ms = 0;
  let parts = 0;
  for (const hour of [...planned].reverse()) {
    if (hour.from >= nowMs) continue;
    ms += lengthMs(clipped(hour.work, { from: hour.from, to: nowMs }));
    parts += hour.goodParts;
    if (ms >= PACE_MS) break;
  }
  return ms === 0 ? 0 : parts / ms;
}
