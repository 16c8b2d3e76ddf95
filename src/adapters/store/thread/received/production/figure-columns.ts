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

/** The figures of all machines of a gateway together stand under this machine, for questions about no single one. */
export const ALL_MACHINES = '';

interface FigureTable {
  readonly table: 'shift_figures' | 'stop_figures' | 'work_figures';
  /** Beside gateway, date, machine and shift. */
  readonly keys: readonly string[];
  readonly columns: readonly string[];
}

const columnsOf = (columns: readonly (readonly [string, string])[]) => columns.map(([, column]) => column);

export const FIGURE_TABLES: readonly FigureTable[] = [
  { table: 'shift_figures', keys: [], columns: columnsOf(SUMS) },
  { table: 'stop_figures', keys: ['reason_id'], columns: [...columnsOf(STOPS), 'longest_ms'] },
  { table: 'work_figures', keys: ['part_id', 'job_number', 'user_id'], columns: columnsOf(WORK) },
];

/** SQL that adds up the machines of a gateway's shifts; `join` has the shifts, and `prefix` stands before names of tables. */
export function addUpMachines({ table, keys, columns }: FigureTable, prefix: string, shifts: string): string {
  const own = ['gateway_id', 'shift_date', 'shift_name', ...keys];
  const sums = columns.map((column) => `${column === 'longest_ms' ? 'max' : 'sum'}(${column})`);
  return `INSERT INTO ${prefix}${table} (${[...own, 'machine_id', ...columns].join(', ')})
    SELECT ${[...own, `'${ALL_MACHINES}'`, ...sums].join(', ')} FROM ${prefix}${table}
    WHERE machine_id <> '${ALL_MACHINES}' AND ${shifts} GROUP BY ${own.join(', ')}`;
}
