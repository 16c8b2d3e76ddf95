import { blob, index, integer, primaryKey, real, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core';

/**
 * Tables of the course of machines' variables. Times are wall-clock milliseconds since 1970; `epoch` is the clock
 * epoch in which a row was written (D-04). Each change needs a migration (development.md, Migrations).
 */

export const variableSeries = sqliteTable(
  'variable_series',
  {
    id: integer('id').primaryKey(),
    machineId: text('machine_id').notNull(),
    name: text('name').notNull(),
  },
  (table) => [uniqueIndex('variable_series_by_name').on(table.machineId, table.name)],
);

/** Points as they came, until they are packed (point-journal.ts). */
export const variableRecent = sqliteTable('variable_recent', {
  id: integer('id').primaryKey(),
  epoch: integer('epoch').notNull(),
  points: blob('points', { mode: 'buffer' }).$type<Uint8Array>().notNull(),
});

export const variablePacking = sqliteTable('variable_packing', {
  id: integer('id').primaryKey(),
  upToRecent: integer('up_to_recent').notNull(),
  upToSeries: integer('up_to_series').notNull(),
  packedUpTo: integer('packed_up_to').notNull(),
});

/** Packed points of one series (block-packer.ts). */
export const variableBlock = sqliteTable(
  'variable_block',
  {
    id: integer('id').primaryKey(),
    series: integer('series').notNull(),
    startAt: integer('start_at').notNull(),
    endAt: integer('end_at').notNull(),
    day: integer('day').notNull(),
    epoch: integer('epoch').notNull(),
    count: integer('count').notNull(),
    points: blob('points', { mode: 'buffer' }).$type<Uint8Array>().notNull(),
  },
  (table) => [index('variable_block_by_start').on(table.series, table.startAt)],
);

/** The newest publications of each client, so that one that is sent again is stored once. */
export const publicationReceipt = sqliteTable(
  'publication_receipt',
  {
    clientId: text('client_id').notNull(),
    slot: integer('slot').notNull(),
    messageId: integer('message_id').notNull(),
    payloadHash: integer('payload_hash').notNull(),
    at: real('at').notNull(),
  },
  (table) => [primaryKey({ columns: [table.clientId, table.slot] })],
);
