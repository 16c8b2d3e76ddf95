import { sql } from 'drizzle-orm';
import { blob, index, integer, real, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core';

/**
 * Tables of what waits for the central server. Times are wall-clock milliseconds since 1970; `epoch` is the clock
 * epoch in which a row was written (D-04). Each change needs a migration (development.md, Migrations).
 */

/**
 * The queue for the central server: acts and statuses with their `body`, and facts with a `fact_key`, which are read from
 * the history when they are sent.
 */
export const queue = sqliteTable(
  'queue',
  {
    seq: integer('seq').primaryKey({ autoIncrement: true }),
    class: text('class').notNull(),
    entity: text('entity').notNull(),
    factKey: text('fact_key'),
    at: real('at').notNull(),
    epoch: integer('epoch').notNull(),
    bytes: integer('bytes').notNull(),
    body: text('body'),
  },
  (table) => [
    uniqueIndex('queue_by_fact').on(table.factKey).where(sql`fact_key IS NOT NULL`),
    index('queue_by_class').on(table.class, table.seq),
    index('queue_acts').on(table.entity, table.seq).where(sql`class = 'act'`),
  ],
);

/** The oldest act of each entity; kept up to date by triggers. The heads of statuses are read from `queue`. */
export const queueHead = sqliteTable(
  'queue_head',
  {
    entity: text('entity').primaryKey(),
    head: integer('head'),
  },
  (table) => [index('queue_head_by_seq').on(table.head)],
);

/** The amount of each class of rows; kept up to date by triggers. */
export const queueTotal = sqliteTable('queue_total', {
  class: text('class').primaryKey(),
  depth: integer('depth').notNull(),
  bytes: integer('bytes').notNull(),
  thinned: integer('thinned').notNull(),
});

/**
 * The waiting rows of `variable_recent`: a whole row, or of a held row the points of shift days before `held_before`.
 * `level` counts the halvings of a row.
 */
export const queuePoints = sqliteTable(
  'queue_points',
  {
    row: integer('row').primaryKey(),
    at: real('at').notNull(),
    heldBefore: integer('held_before'),
    level: integer('level').notNull(),
    points: integer('points').notNull(),
    bytes: integer('bytes').notNull(),
  },
  (table) => [
    index('queue_points_by_level').on(table.level, table.row),
    index('queue_points_held').on(table.row).where(sql`held_before IS NOT NULL`),
    index('queue_points_waiting').on(table.row).where(sql`held_before IS NULL`),
  ],
);

/** One row: statuses older than `before` that make no difference are being left out (D-26). */
export const condensing = sqliteTable('condensing', {
  id: integer('id').primaryKey(),
  before: real('before').notNull(),
});

export const setAside = sqliteTable(
  'set_aside',
  {
    id: integer('id').primaryKey({ autoIncrement: true }),
    class: text('class').notNull(),
    entity: text('entity').notNull(),
    factKey: text('fact_key'),
    at: real('at').notNull(),
    epoch: integer('epoch').notNull(),
    bytes: integer('bytes').notNull(),
    body: text('body'),
    reason: text('reason').notNull(),
    setAsideAt: real('set_aside_at').notNull(),
  },
  (table) => [index('set_aside_by_class').on(table.class, table.id)],
);

/** The rows of `queue` that may have been sent one by one. */
export const sendAttempt = sqliteTable('send_attempt', {
  seq: integer('seq').primaryKey(),
});

/**
 * The central server's ids of our profiles. `server` is the address at which the id was given; `created_at` is the time at
 * which that server made the profile, by its clock, or null if unknown.
 */
export const upstreamProfile = sqliteTable(
  'upstream_profile',
  {
    profileId: text('profile_id').primaryKey(),
    upstreamId: text('upstream_id').notNull(),
    server: text('server'),
    createdAt: real('created_at'),
  },
  (table) => [index('upstream_profile_by_name').on(table.upstreamId)],
);

/**
 * One row: our own stream, with the name under which it began, the id of its data directory and the digest of the newest
 * acknowledged batch.
 */
export const syncStream = sqliteTable('sync_stream', {
  id: integer('id').primaryKey(),
  stream: text('stream').notNull(),
  previous: text('previous').notNull(),
  gatewayId: text('gateway_id').notNull(),
  directory: text('directory').notNull(),
});

/** One row: the batch that is not acknowledged yet. */
export const outgoingBatch = sqliteTable('outgoing_batch', {
  id: integer('id').primaryKey(),
  digest: text('digest').notNull(),
  upToSeq: integer('up_to_seq').notNull(),
  pointRows: text('point_rows').notNull(),
  records: integer('records').notNull(),
  body: blob('body', { mode: 'buffer' }).$type<Uint8Array>().notNull(),
});
