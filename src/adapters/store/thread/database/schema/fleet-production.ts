import { index, primaryKey, real, sqliteTable, text } from 'drizzle-orm/sqlite-core';

/**
 * Tables of the shifts of gateways' machines as they were added up (domain/production/shift-figures.ts; D-105). A machine's
 * id is that of its gateway, a slash, and its own. Each change needs a migration (development.md, Migrations).
 */

/** Machines whose records changed since. `mark` counts changes. */
export const receivedChange = sqliteTable('received_change', {
  machineId: text('machine_id').primaryKey(),
  gatewayId: text('gateway_id').notNull(),
  sinceAt: real('since_at'),
  sinceDate: text('since_date'),
  mark: real('mark').notNull(),
});

/** The plant as each gateway told it, ToldPlant as JSON (domain/fleet/told-plant.ts). */
export const receivedPlant = sqliteTable('received_plant', {
  gatewayId: text('gateway_id').primaryKey(),
  digest: text('digest').notNull(),
  json: text('json').notNull(),
});

const ofShift = {
  gatewayId: text('gateway_id').notNull(),
  shiftDate: text('shift_date').notNull(),
  machineId: text('machine_id').notNull(),
  shiftName: text('shift_name').notNull(),
};

/** ProductionSums of a shift. */
export const receivedShiftFigures = sqliteTable(
  'received_shift_figures',
  {
    ...ofShift,
    goodParts: real('good_parts').notNull(),
    badParts: real('bad_parts').notNull(),
    cycles: real('cycles').notNull(),
    plannedMs: real('planned_ms').notNull(),
    runningMs: real('running_ms').notNull(),
    plannedStopMs: real('planned_stop_ms').notNull(),
    unplannedStopMs: real('unplanned_stop_ms').notNull(),
    shortStopMs: real('short_stop_ms').notNull(),
    faultMs: real('fault_ms').notNull(),
    offlineMs: real('offline_ms').notNull(),
    outsideGoodParts: real('outside_good_parts').notNull(),
    outsideBadParts: real('outside_bad_parts').notNull(),
    outsideRunningMs: real('outside_running_ms').notNull(),
    outsideStopMs: real('outside_stop_ms').notNull(),
    ratedParts: real('rated_parts').notNull(),
    idealMs: real('ideal_ms').notNull(),
    ratedRunningMs: real('rated_running_ms').notNull(),
    targetedGoodParts: real('targeted_good_parts').notNull(),
    targetParts: real('target_parts'),
    breakdowns: real('breakdowns').notNull(),
    breakdownMs: real('breakdown_ms').notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.gatewayId, table.shiftDate, table.machineId, table.shiftName] }),
    index('received_shift_figures_by_date').on(table.shiftDate),
  ],
);

/** The stops of one reason in a shift (StopRow). */
export const receivedStopFigures = sqliteTable(
  'received_stop_figures',
  {
    ...ofShift,
    /** '': without a reason. */
    reasonId: text('reason_id').notNull(),
    count: real('count').notNull(),
    ms: real('ms').notNull(),
    plannedMs: real('planned_ms').notNull(),
    outsideMs: real('outside_ms').notNull(),
    longestMs: real('longest_ms').notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.gatewayId, table.shiftDate, table.machineId, table.shiftName, table.reasonId] }),
    index('received_stop_figures_by_date').on(table.shiftDate),
  ],
);

/** The pieces of one part for one job by one operator in a shift (WorkFigures); '': not known. */
export const receivedWorkFigures = sqliteTable(
  'received_work_figures',
  {
    ...ofShift,
    partId: text('part_id').notNull(),
    jobNumber: text('job_number').notNull(),
    userId: text('user_id').notNull(),
    goodParts: real('good_parts').notNull(),
    badParts: real('bad_parts').notNull(),
    cycles: real('cycles').notNull(),
    runningMs: real('running_ms').notNull(),
    ratedParts: real('rated_parts').notNull(),
    idealMs: real('ideal_ms').notNull(),
    ratedRunningMs: real('rated_running_ms').notNull(),
  },
  (table) => [
    primaryKey({
      columns: [
        table.gatewayId,
        table.shiftDate,
        table.machineId,
        table.shiftName,
        table.partId,
        table.jobNumber,
        table.userId,
      ],
    }),
    index('received_work_figures_by_date').on(table.shiftDate),
  ],
);
