import { sql } from 'drizzle-orm';
import { check, integer, primaryKey, real, sqliteTable, text, unique } from 'drizzle-orm/sqlite-core';

/**
 * Tables of the plant, coils and tasks. Times are wall-clock milliseconds since 1970; `epoch` is the clock
 * epoch in which a row was written (D-04). Each change needs a migration (development.md, Migrations).
 */

export const plant = sqliteTable(
  'plant',
  {
    kind: text('kind').notNull(),
    id: text('id').notNull(),
    json: text('json').notNull(),
  },
  (table) => [primaryKey({ columns: [table.kind, table.id] })],
);

/** `id` is the row of the coil in the search index in memory (column-index.ts). Clients are sent `json`. */
export const coil = sqliteTable('coil', {
  id: integer('id').primaryKey(),
  coilId: text('coil_id').notNull().unique(),
  json: text('json').notNull(),
});

/** As for coils. */
export const task = sqliteTable('task', {
  id: integer('id').primaryKey(),
  taskId: text('task_id').notNull().unique(),
  machineId: text('machine_id').notNull(),
  lastOperation: text('last_operation'),
  json: text('json').notNull(),
});

export const legacyWrite = sqliteTable('legacy_write', {
  operationId: text('operation_id').primaryKey(),
  startedAt: real('started_at').notNull(),
  json: text('json').notNull(),
});

/**
 * The newest change of each task, coil, order and profile, for programs that follow them. `id` is empty where many records
 * of a kind changed at once.
 */
export const changeFeed = sqliteTable(
  'change_feed',
  {
    number: integer('number').primaryKey({ autoIncrement: true }),
    kind: text('kind').notNull(),
    id: text('id').notNull(),
    removed: integer('removed').notNull(),
    at: real('at').notNull(),
  },
  (table) => [unique().on(table.kind, table.id)],
);

/** The owners of the numbers of `change_feed` (number-epochs.ts). */
export const changeEpoch = sqliteTable('change_epoch', {
  id: integer('id').primaryKey(),
  epoch: text('epoch').notNull().unique(),
  firstNumber: integer('first_number').notNull(),
});

/** One row: numbers of changes up to this one are forgotten. */
export const changeFloor = sqliteTable(
  'change_floor',
  {
    id: integer('id').primaryKey(),
    number: integer('number').notNull(),
  },
  () => [check('change_floor_is_one_row', sql`id = 1`)],
);
