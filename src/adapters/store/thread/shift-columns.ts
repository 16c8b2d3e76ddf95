import type { ShiftTotals } from '../../../domain/machine/counters/counters.ts';

/** The totals of a shift, each with the column that holds it in every table with totals. */
const TOTALS = [
  ['goodParts', 'good_parts'],
  ['badParts', 'bad_parts'],
  ['cycles', 'cycles'],
  ['runningMs', 'running_ms'],
  ['stoppedMs', 'stopped_ms'],
  ['downMs', 'down_ms'],
  ['faultMs', 'fault_ms'],
  ['overrideMs', 'override_ms'],
  ['offlineMs', 'offline_ms'],
] as const satisfies readonly (readonly [keyof ShiftTotals, string])[];

/** SQL for all totals, from the name and the column of one. */
export function totalsSql(ofOne: (name: string, column: string) => string): string {
  return TOTALS.map(([name, column]) => ofOne(name, column)).join(', ');
}

export const TOTAL_COLUMNS = totalsSql((_, column) => column);
/** Columns under the names of `ShiftTotals`. */
export const NAMED_TOTALS = totalsSql((name, column) => `${column} AS ${name}`);
/** For an upsert: adds the new totals to those that are there. */
export const ADDED_TOTALS = totalsSql((_, column) => `${column} = ${column} + excluded.${column}`);
