import { bigint, index, integer, doublePrecision as number, primaryKey, text, unique } from 'drizzle-orm/pg-core';
import { central } from './machines.ts';

/**
 * Tables of the values of variables. Times are wall-clock milliseconds since 1970. Each change needs a migration
 * (development.md, Migrations).
 */

export const series = central.table(
  'series',
  {
    seriesId: bigint('series_id', { mode: 'number' }).primaryKey().generatedAlwaysAsIdentity(),
    machineId: text('machine_id').notNull(),
    name: text('name').notNull(),
  },
  (table) => [unique().on(table.machineId, table.name)],
);

/** The points of one series: the first at `start_at`, each of the others `step_ms` after the one before it. */
const points = {
  seriesId: bigint('series_id', { mode: 'number' }).notNull(),
  /** The shift date as days since 1970. */
  day: integer('day').notNull(),
  startAt: bigint('start_at', { mode: 'number' }).notNull(),
  stepMs: integer('step_ms').array().notNull(),
  value: number('value').array().notNull(),
};

/** Points as a batch brought them. All of a row lie in one hour. Partitioned by the day of `start_at`. */
export const pointRun = central.table('point_run', points, (table) => [
  index('point_run_by_series').on(table.seriesId, table.startAt),
]);

/** All points of a series, an hour and a shift date. Partitioned by the month of `start_at`. */
export const pointHour = central.table('point_hour', points, (table) => [
  primaryKey({ columns: [table.seriesId, table.startAt, table.day] }),
]);
