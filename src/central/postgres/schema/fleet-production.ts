import { index, doublePrecision as number, primaryKey, text } from 'drizzle-orm/pg-core';
import { central } from './machines.ts';

/**
 * Tables of the shifts of gateways' machines as they were added up (domain/production/shift-figures.ts; D-105). A machine's
 * id is that of its gateway, a slash, and its own. Each change needs a migration (development.md, Migrations).
 */

/** Machines whose records changed since. `mark` counts changes. */
export const changedMachine = central.table('changed_machine', {
  machineId: text('machine_id').primaryKey(),
  gatewayId: text('gateway_id').notNull(),
  sinceAt: number('since_at'),
  sinceDate: text('since_date'),
  mark: number('mark').notNull(),
});

/** The plant as each gateway told it, ToldPlant as JSON (domain/fleet/told-plant.ts). */
export const toldPlant = central.table('told_plant', {
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
export const shiftFigures = central.table(
  'shift_figures',
  {
    ...ofShift,
    goodParts: number('good_parts').notNull(),
    badParts: number('bad_parts').notNull(),
    cycles: number('cycles').notNull(),
    plannedMs: number('planned_ms').notNull(),
    runningMs: number('running_ms').notNull(),
    plannedStopMs: number('planned_stop_ms').notNull(),
    unplannedStopMs: number('unplanned_stop_ms').notNull(),
    shortStopMs: number('short_stop_ms').notNull(),
    faultMs: number('fault_ms').notNull(),
    offlineMs: number('offline_ms').notNull(),
    outsideGoodParts: number('outside_good_parts').notNull(),
    outsideBadParts: number('outside_bad_parts').notNull(),
    outsideRunningMs: number('outside_running_ms').notNull(),
    outsideStopMs: number('outside_stop_ms').notNull(),
    ratedParts: number('rated_parts').notNull(),
    idealMs: number('ideal_ms').notNull(),
    ratedRunningMs: number('rated_running_ms').notNull(),
    targetedGoodParts: number('targeted_good_parts').notNull(),
    targetParts: number('target_parts'),
    breakdowns: number('breakdowns').notNull(),
    breakdownMs: number('breakdown_ms').notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.gatewayId, table.shiftDate, table.machineId, table.shiftName] }),
    index('shift_figures_by_date').on(table.shiftDate),
  ],
);

/** The stops of one reason in a shift (StopRow). */
export const stopFigures = central.table(
  'stop_figures',
  {
    ...ofShift,
    /** '': without a reason. */
    reasonId: text('reason_id').notNull(),
    count: number('count').notNull(),
    ms: number('ms').notNull(),
    plannedMs: number('planned_ms').notNull(),
    outsideMs: number('outside_ms').notNull(),
    longestMs: number('longest_ms').notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.gatewayId, table.shiftDate, table.machineId, table.shiftName, table.reasonId] }),
    index('stop_figures_by_date').on(table.shiftDate),
  ],
);

/** The pieces of one part for one job by one operator in a shift (WorkFigures); '': not known. */
export const workFigures = central.table(
  'work_figures',
  {
    ...ofShift,
    partId: text('part_id').notNull(),
    jobNumber: text('job_number').notNull(),
    userId: text('user_id').notNull(),
    goodParts: number('good_parts').notNull(),
    badParts: number('bad_parts').notNull(),
    cycles: number('cycles').notNull(),
    runningMs: number('running_ms').notNull(),
    ratedParts: number('rated_parts').notNull(),
    idealMs: number('ideal_ms').notNull(),
    ratedRunningMs: number('rated_running_ms').notNull(),
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
    index('work_figures_by_date').on(table.shiftDate),
  ],
);
