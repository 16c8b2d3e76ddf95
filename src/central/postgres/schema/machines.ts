import { sql } from 'drizzle-orm';
import { index, doublePrecision as number, pgSchema, primaryKey, text } from 'drizzle-orm/pg-core';

/**
 * Tables of machines and their history. A machine's id is that of its gateway, a slash, and its own. Times are
 * wall-clock milliseconds since 1970. Counts are no integers, because a gateway may send any number.
 * Texts are compared byte by byte, as in SQLite (`COLLATE "C"`, added to the migrations by hand). Each change needs a
 * migration (development.md, Migrations).
 */
export const central = pgSchema('central');

/** The totals of a shift (ShiftTotals). */
export const totals = {
  goodParts: number('good_parts').notNull(),
  badParts: number('bad_parts').notNull(),
  cycles: number('cycles').notNull(),
  runningMs: number('running_ms').notNull(),
  stoppedMs: number('stopped_ms').notNull(),
  downMs: number('down_ms').notNull(),
  faultMs: number('fault_ms').notNull(),
  overrideMs: number('override_ms').notNull(),
  offlineMs: number('offline_ms').notNull(),
};

export const machinePart = central.table('machine_part', {
  machineId: text('machine_id').primaryKey(),
  /** PartSelection as JSON; null if no part is selected. */
  json: text('json'),
  at: number('at').notNull(),
});

export const shiftTotals = central.table(
  'shift_totals',
  {
    machineId: text('machine_id').notNull(),
    shiftDate: text('shift_date').notNull(),
    shiftName: text('shift_name').notNull(),
    ...totals,
  },
  (table) => [primaryKey({ columns: [table.machineId, table.shiftDate, table.shiftName] })],
);

export const downtime = central.table(
  'downtime',
  {
    downtimeId: text('downtime_id').primaryKey(),
    machineId: text('machine_id').notNull(),
    startedAt: number('started_at').notNull(),
    endedAt: number('ended_at'),
    reasonId: text('reason_id'),
    note: text('note'),
    userName: text('user_name'),
  },
  (table) => [
    index('downtime_by_machine').on(table.machineId, table.startedAt),
    index('downtime_by_start').on(table.startedAt),
    index('downtime_open').on(table.machineId).where(sql`ended_at IS NULL`),
  ],
);

export const span = central.table(
  'span',
  {
    spanId: text('span_id').primaryKey(),
    machineId: text('machine_id').notNull(),
    activity: text('activity', { enum: ['running', 'stopped', 'down', 'fault', 'offline'] }).notNull(),
    startedAt: number('started_at').notNull(),
    endedAt: number('ended_at'),
  },
  (table) => [
    index('span_by_machine').on(table.machineId, table.startedAt),
    index('span_open').on(table.machineId).where(sql`ended_at IS NULL`),
    index('span_fault').on(table.machineId, table.startedAt).where(sql`activity = 'fault'`),
  ],
);

export const workSession = central.table(
  'work_session',
  {
    sessionId: text('session_id').primaryKey(),
    machineId: text('machine_id').notNull(),
    jobNumber: text('job_number'),
    partId: text('part_id'),
    userId: text('user_id'),
    startedAt: number('started_at').notNull(),
    lastActiveAt: number('last_active_at').notNull(),
    endedAt: number('ended_at'),
    goodParts: number('good_parts').notNull(),
    badParts: number('bad_parts').notNull(),
    cycles: number('cycles').notNull(),
  },
  (table) => [
    index('work_session_by_machine').on(table.machineId, table.startedAt),
    index('work_session_open').on(table.machineId).where(sql`ended_at IS NULL`),
  ],
);

export const anomaly = central.table(
  'anomaly',
  {
    machineId: text('machine_id').notNull(),
    at: number('at').notNull(),
    counter: text('counter', { enum: ['cycle', 'goodPart', 'badPart'] }).notNull(),
    fromCount: number('from_count').notNull(),
    toCount: number('to_count').notNull(),
  },
  (table) => [primaryKey({ columns: [table.machineId, table.at, table.counter] })],
);
