import { sql } from 'drizzle-orm';
import {
  blob,
  check,
  integer,
  primaryKey,
  real,
  sqliteTable,
  text,
  unique,
  uniqueIndex,
} from 'drizzle-orm/sqlite-core';

/**
 * Tables of the store itself. Times are wall-clock milliseconds since 1970; `epoch` is the clock
 * epoch in which a row was written (D-04). Each change needs a migration (development.md, Migrations).
 */

/** One row: the newest batch on disk and the run it belongs to. */
export const appliedBatch = sqliteTable('applied_batch', {
  id: integer('id').primaryKey(),
  runId: text('run_id').notNull(),
  number: integer('number').notNull(),
  writtenAt: real('written_at').notNull(),
});

/**
 * Stretches of time in which the wall clock was not set (clock-epochs.ts). `shift_dates`: when shift dates begin by the
 * corrected clock.
 */
export const clockEpoch = sqliteTable('clock_epoch', {
  id: integer('id').primaryKey(),
  bootId: text('boot_id').notNull(),
  runId: text('run_id').notNull(),
  openedAt: real('opened_at').notNull(),
  correctionMs: real('correction_ms').notNull(),
  shiftDates: text('shift_dates'),
});

/** One row: the time at which the clock was last trusted, for the retention (retention.ts). */
export const trustedClock = sqliteTable(
  'trusted_clock',
  {
    id: integer('id').primaryKey(),
    at: real('at').notNull(),
  },
  () => [check('trusted_clock_is_one_row', sql`id = 1`)],
);

/**
 * One row: how far this database is a copy of the journal that the nodes of a central server share (src/central/business).
 * `history` names that journal, `write_id` the last write of it here.
 */
export const journalPosition = sqliteTable('journal_position', {
  id: integer('id').primaryKey(),
  history: text('history').notNull(),
  seq: integer('seq').notNull(),
  writeId: text('write_id').notNull(),
});

export const brokerRow = sqliteTable(
  'broker_row',
  {
    tableName: text('table_name').notNull(),
    key: text('key').notNull(),
    value: blob('value', { mode: 'buffer' }).$type<Uint8Array>().notNull(),
  },
  (table) => [primaryKey({ columns: [table.tableName, table.key] })],
);

/**
 * Done requests that had an idempotency key (done-requests.ts). `number` counts the requests of a principal; `total_bytes`
 * is the length of its answers from its first request up to this one.
 */
export const doneRequest = sqliteTable(
  'done_request',
  {
    principal: text('principal').notNull(),
    number: integer('number').notNull(),
    key: text('key').notNull(),
    digest: text('digest').notNull(),
    answer: blob('answer', { mode: 'buffer' }).$type<Uint8Array>(),
    totalBytes: integer('total_bytes').notNull(),
  },
  (table) => [primaryKey({ columns: [table.principal, table.number] }), unique().on(table.principal, table.key)],
);

/** Records that could not be read, as they were stored, to be repaired by hand. */
export const damagedRecord = sqliteTable(
  'damaged_record',
  {
    id: integer('id').primaryKey(),
    tableName: text('table_name').notNull(),
    key: text('key').notNull(),
    content: text('content').notNull(),
    reason: text('reason').notNull(),
    foundAt: real('found_at').notNull(),
  },
  (table) => [uniqueIndex('damaged_record_by_content').on(table.tableName, table.key, table.content)],
);

/** The audit log. A number is never used twice, so that a gap shows. */
export const audit = sqliteTable('audit', {
  number: integer('number').primaryKey({ autoIncrement: true }),
  entryId: text('entry_id').notNull().unique(),
  at: real('at').notNull(),
  who: text('who').notNull(),
  role: text('role').notNull(),
  address: text('address').notNull(),
  act: text('act').notNull(),
  subject: text('subject').notNull(),
  before: text('before'),
  after: text('after'),
  previous: text('previous').notNull(),
  hash: text('hash').notNull(),
});
