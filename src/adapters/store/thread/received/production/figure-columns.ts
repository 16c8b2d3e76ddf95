import type { StopRow, WorkRow } from '../../../../../domain/production/production-report.ts';
import type { ProductionSums } from '../../../../../domain/production/production-sums.ts';

/** The figures of each table, each with its column. Both stores add them up in SQL. */
const SUMS = [
  ['goodParts', 'good_parts'],
  ['badParts', 'bad_parts'],
  ['cycles', 'cycles'],
  ['plannedMs', 'planned_ms'],
  ['runningMs', 'running_ms'],
  ['plannedStopMs', 'planned_stop_ms'],
  ['unplannedStopMs', 'unplanned_stop_ms'],
  ['shortStopMs', 'short_stop_ms'],
  ['faultMs', 'fault_ms'],
  ['offlineMs', 'offline_ms'],
  ['outsideGoodParts', 'outside_good_parts'],
  ['outsideBadParts', 'outside_bad_parts'],
  ['outsideRunningMs', 'outside_running_ms'],
  ['outsideStopMs', 'outside_stop_ms'],
  ['ratedParts', 'rated_parts'],
  ['idealMs', 'ideal_ms'],
  ['ratedRunningMs', 'rated_running_ms'],
  ['targetedGoodParts', 'targeted_good_parts'],
  ['targetParts', 'target_parts'],
  ['breakdowns', 'breakdowns'],
  ['breakdownMs', 'breakdown_ms'],
] as const satisfies readonly (readonly [keyof ProductionSums, string])[];

const STOPS = [
  ['count', 'count'],
  ['ms', 'ms'],
  ['plannedMs', 'planned_ms'],
  ['outsideMs', 'outside_ms'],
] as const satisfies readonly (readonly [keyof StopRow, string])[];

const WORK = [
  ['goodParts', 'good_parts'],
  ['badParts', 'bad_parts'],
  ['cycles', 'cycles'],
  ['runningMs', 'running_ms'],
  ['ratedParts', 'rated_parts'],
  ['idealMs', 'ideal_ms'],
  ['ratedRunningMs', 'rated_running_ms'],
] as const satisfies readonly (readonly [keyof WorkRow, string])[];

const added = (columns: readonly (readonly [string, string])[]) =>
  columns.map(([name, column]) => `sum(${column}) AS "${name}"`).join(', ');

/** Sums under the names of ProductionSums, of StopRow and of WorkRow. */
export const ADDED_SUMS = added(SUMS);
export const ADDED_STOPS = `${added(STOPS)}, max(longest_ms) AS "longestMs"`;
export const ADDED_WORK = added(WORK);

/** The column by which work is split; '': not known. */
export const WORK_KEYS = { part: 'part_id', job: 'job_number', operator: 'user_id' } as const;
