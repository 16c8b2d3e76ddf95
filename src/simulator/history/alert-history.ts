import type { Alert } from '../../domain/alert/alert.ts';
import { type AlertRule, DEFAULT_RULES, openAfterMs } from '../../domain/alert/alert-rule.ts';
import type { Downtime } from '../../domain/machine/records.ts';
import { DAY_MS, MINUTE_MS } from '../../domain/time.ts';
import { DOWNTIME_REASONS } from '../plant/sample-reasons.ts';

/** The page shows alerts that are over for so long. */
const SHOWN_MS = 7 * DAY_MS;
/** Stops that take so long are usually an alert's cause. */
const LONG_STOP_MS = 15 * MINUTE_MS;
const UNPLANNED = DOWNTIME_REASONS.filter(({ group }) => group !== 'Planned' && group !== 'Setup');
const TAKEN_AFTER_MS = [2 * MINUTE_MS, 4 * MINUTE_MS, 9 * MINUTE_MS] as const;

/** The rules of alerts that are on in the sample plant. */
export const SAMPLE_RULES: readonly AlertRule[] = DEFAULT_RULES.filter(({ kind }) =>
  ['held', 'fault', 'scrap', 'taskLate'].includes(kind),
).map((rule) => ({ ...rule, isOn: true }));

/** The alerts of the last days about machines that were held: one for each long unplanned stop. Of four one was taken by nobody. */
export function alertHistory(
  stops: readonly Downtime[],
  { nowMs, nameOf, newId }: { nowMs: number; nameOf: (machineId: string) => string; newId: () => string },
): readonly Alert[] {
  const rule = SAMPLE_RULES.find(({ kind }) => kind === 'held');
  if (rule === undefined) return [];
  const unplanned = new Set<string | null>(UNPLANNED.map(({ id }) => id));
  const long = stops.filter(
    ({ startedAt, endedAt, reasonId }) =>
      endedAt !== null &&
      startedAt > nowMs - SHOWN_MS &&
      endedAt - startedAt >= LONG_STOP_MS &&
      unplanned.has(reasonId),
  );
  return long.map((stop, place) => {
    const { machineId, startedAt, endedAt } = stop;
    const openedAt = startedAt + openAfterMs(rule);
    const takenAfterMs = TAKEN_AFTER_MS[place % (TAKEN_AFTER_MS.length + 1)];
    const isTaken = takenAfterMs !== undefined && stop.userName !== null;
    return {
      ...{ alertId: newId(), ruleId: rule.ruleId, kind: rule.kind, subject: machineId, machineId },
      ...{ name: nameOf(machineId), area: null, detail: null, value: null, limit: rule.limit, side: null },
      ...{ beganAt: startedAt, openedAt, endedAt },
      takenBy: isTaken ? stop.userName : null,
      takenAt: isTaken ? openedAt + takenAfterMs : null,
      note: null,
      steps: 1,
      nextStepAt: null,
      owed: [],
      told: [],
    };
  });
}
