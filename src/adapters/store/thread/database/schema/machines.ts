import { sql } from 'drizzle-orm';
import { index, integer, primaryKey, real, sqliteTable, text } from 'drizzle-orm/sqlite-core';

/**
 * Tables of machines and their history. Times are wall-clock milliseconds since 1970; `epoch` is the clock
 * epoch in which a row was written (D-04). Each change needs a migration (development.md, Migrations).
 */

/** The totals of a shift, or of a part of it (ShiftTotals). */
export const totals = {
  goodParts: integer('good_parts').notNull(),
  badParts: integer('bad_parts').notNull(),
  cycles: integer('cycles').notNull(),
  runningMs: real('running_ms').notNull(),
  stoppedMs: real('stopped_ms').notNull(),
  downMs: real('down_ms').notNull(),
  faultMs: real('fault_ms').notNull(),
  overrideMs: real('override_ms').notNull(),
  offlineMs: real('offline_ms').notNull(),
};

export const machineState = sqliteTable('machine_state', {
  machineId: text('machine_id').primaryKey(),
  json: text('json').notNull(),
});

export const machinePart = sqliteTable('machine_part', {
  machineId: text('machine_id').primaryKey(),
  /** PartSelection as JSON; null if no part is selected. */
  json: text('json'),
  at: integer('at').notNull(),
});

/** When each part was selected last on a machine. Machines without job and operator have no work sessions. */
export const selectedPart = sqliteTable(
  'selected_part',
  {
    machineId: text('machine_id').notNull(),
    partId: text('part_id').notNull(),
    selectedAt: real('selected_at').notNull(),
  },
  (table) => [primaryKey({ columns: [table.machineId, table.partId] })],
);

export const shiftTotals = sqliteTable(
  'shift_totals',
  {
    machineId: text('machine_id').notNull(),
    shiftDate: text('shift_date').notNull(),
    shiftName: text('shift_name').notNull(),
    ...totals,
    /** The machine's counters when the totals were taken, MachineReading as JSON. */
    reading: text('reading'),
  },
  (table) => [primaryKey({ columns: [table.machineId, table.shiftDate, table.shiftName] })],
);

/**
 * A shift that is over, as its spans, downtimes and work sessions add up (ShiftSummary). It is made again when one of
 * them changes later: then it is stale.
 */
export const shiftSummary = sqliteTable(
  'shift_summary',
  {
    machineId: text('machine_id').notNull(),
    shiftDate: text('shift_date').notNull(),
    shiftName: text('shift_name').notNull(),
    startsAt: real('starts_at').notNull(),
    endsAt: real('ends_at').notNull(),
    isPlanned: integer('is_planned').notNull(),
    isStale: integer('is_stale').notNull(),
    /** Parts that the shift should have made; null if it had no target. */
    targetParts: integer('target_parts'),
    /** The ShiftSummary (summary-text.ts). */
    content: text('content').notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.machineId, table.shiftDate, table.shiftName] }),
    index('shift_summary_by_end').on(table.machineId, table.endsAt),
  ],
);

/** The production of a machine in a quarter of an hour, between two times by the clock of the epoch (ProductionQuarters). */
export const productionQuarter = sqliteTable(
  'production_quarter',
  {
    machineId: text('machine_id').notNull(),
    shiftDate: text('shift_date').notNull(),
    shiftName: text('shift_name').notNull(),
    startsAt: real('starts_at').notNull(),
    endsAt: real('ends_at').notNull(),
    epoch: integer('epoch').notNull(),
    ...totals,
  },
  (table) => [
    primaryKey({ columns: [table.machineId, table.shiftDate, table.shiftName, table.startsAt, table.epoch] }),
  ],
);

export const overrideSpan = sqliteTable(
  'override_span',
  {
    machineId: text('machine_id').notNull(),
    startedAt: real('started_at').notNull(),
    endedAt: real('ended_at'),
    epoch: integer('epoch').notNull(),
  },
  (table) => [primaryKey({ columns: [table.machineId, table.startedAt] })],
);

export const downtime = sqliteTable(
  'downtime',
  {
    downtimeId: text('downtime_id').primaryKey(),
    machineId: text('machine_id').notNull(),
    startedAt: real('started_at').notNull(),
    endedAt: real('ended_at'),
    reasonId: text('reason_id'),
    note: text('note'),
    userName: text('user_name'),
    epoch: integer('epoch').notNull(),
  },
  (table) => [
    index('downtime_by_machine').on(table.machineId, table.startedAt),
    index('downtime_open').on(table.machineId).where(sql`ended_at IS NULL`),
    index('downtime_by_start').on(table.startedAt),
    index('downtime_uncategorized').on(table.startedAt).where(sql`reason_id IS NULL`),
  ],
);

export const span = sqliteTable(
  'span',
  {
    spanId: text('span_id').primaryKey(),
    machineId: text('machine_id').notNull(),
    activity: text('activity', { enum: ['running', 'stopped', 'down', 'fault', 'offline'] }).notNull(),
    startedAt: real('started_at').notNull(),
    endedAt: real('ended_at'),
    epoch: integer('epoch').notNull(),
  },
  (table) => [
    index('span_by_machine').on(table.machineId, table.startedAt),
    index('span_open').on(table.machineId).where(sql`ended_at IS NULL`),
    index('span_fault').on(table.machineId, table.startedAt).where(sql`activity = 'fault'`),
  ],
);

export const workSession = sqliteTable(
  'work_session',
  {
    sessionId: text('session_id').primaryKey(),
    machineId: text('machine_id').notNull(),
    jobNumber: text('job_number'),
    partId: text('part_id'),
    userId: text('user_id'),
    startedAt: real('started_at').notNull(),
    lastActiveAt: real('last_active_at').notNull(),
    endedAt: real('ended_at'),
    goodParts: integer('good_parts').notNull(),
    badParts: integer('bad_parts').notNull(),
    cycles: integer('cycles').notNull(),
    epoch: integer('epoch').notNull(),
  },
  (table) => [
    index('work_session_by_machine').on(table.machineId, table.startedAt),
    index('work_session_open').on(table.machineId).where(sql`ended_at IS NULL`),
    // The progress of an order: machines may spell its number in another case (D-44).
    index('work_session_by_job').on(sql`job_number COLLATE NOCASE`).where(sql`job_number IS NOT NULL`),
  ],
);

export const anomaly = sqliteTable(
  'anomaly',
  {
    machineId: text('machine_id').notNull(),
    at: real('at').notNull(),
    counter: text('counter', { enum: ['cycle', 'goodPart', 'badPart'] }).notNull(),
    fromCount: integer('from_count').notNull(),
    toCount: integer('to_count').notNull(),
    epoch: integer('epoch').notNull(),
  },
  (table) => [primaryKey({ columns: [table.machineId, table.at, table.counter] })],
);
