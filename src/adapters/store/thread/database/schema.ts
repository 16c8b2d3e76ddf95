import { blob, index, integer, primaryKey, real, sqliteTable, text } from 'drizzle-orm/sqlite-core';

/**
 * The tables as the newest migration leaves them. Times are wall-clock milliseconds since 1970; `epoch` is the clock
 * epoch in which a row was written (D-04).
 */

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

export const shiftTotals = sqliteTable(
  'shift_totals',
  {
    machineId: text('machine_id').notNull(),
    shiftDate: text('shift_date').notNull(),
    shiftName: text('shift_name').notNull(),
    goodParts: integer('good_parts').notNull(),
    badParts: integer('bad_parts').notNull(),
    cycles: integer('cycles').notNull(),
    runningMs: real('running_ms').notNull(),
    stoppedMs: real('stopped_ms').notNull(),
    downMs: real('down_ms').notNull(),
    faultMs: real('fault_ms').notNull(),
    overrideMs: real('override_ms').notNull(),
    offlineMs: real('offline_ms').notNull(),
    /** MachineReading as JSON. */
    reading: text('reading'),
  },
  (table) => [primaryKey({ columns: [table.machineId, table.shiftDate, table.shiftName] })],
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
  (table) => [index('downtime_by_machine').on(table.machineId, table.startedAt)],
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
  (table) => [index('span_by_machine').on(table.machineId, table.startedAt)],
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
  (table) => [index('work_session_by_machine').on(table.machineId, table.startedAt)],
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

export const plant = sqliteTable(
  'plant',
  { kind: text('kind').notNull(), id: text('id').notNull(), json: text('json').notNull() },
  (table) => [primaryKey({ columns: [table.kind, table.id] })],
);

export const brokerRow = sqliteTable(
  'broker_row',
  {
    tableName: text('table_name').notNull(),
    key: text('key').notNull(),
    value: blob('value', { mode: 'buffer' }).notNull(),
  },
  (table) => [primaryKey({ columns: [table.tableName, table.key] })],
);

/** One row: the newest batch on disk and the run it belongs to. */
export const appliedBatch = sqliteTable('applied_batch', {
  id: integer('id').primaryKey(),
  runId: text('run_id').notNull(),
  number: integer('number').notNull(),
  writtenAt: real('written_at').notNull(),
});
