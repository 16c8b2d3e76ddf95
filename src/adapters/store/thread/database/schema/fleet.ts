import { index, integer, primaryKey, real, sqliteTable, text } from 'drizzle-orm/sqlite-core';

/**
 * Tables of groups of gateways and their plans (D-106). Times are wall-clock milliseconds since 1970. Each change needs a
 * migration (development.md, Migrations).
 */

/** A group: the version of its plan that its gateways apply, and the one that they compare with what they have. */
export const gatewayGroup = sqliteTable('gateway_group', {
  groupId: text('group_id').primaryKey(),
  name: text('name').notNull(),
  rollOut: integer('roll_out'),
  preview: integer('preview'),
});

/** The group of a gateway. */
export const groupedGateway = sqliteTable(
  'grouped_gateway',
  {
    gatewayId: text('gateway_id').primaryKey(),
    groupId: text('group_id').notNull(),
  },
  (table) => [index('grouped_gateway_by_group').on(table.groupId)],
);

/** `plan` holds hashes of secrets, never secrets. */
export const planVersion = sqliteTable(
  'plan_version',
  {
    groupId: text('group_id').notNull(),
    version: integer('version').notNull(),
    at: real('at').notNull(),
    who: text('who').notNull(),
    note: text('note').notNull(),
    overwrite: integer('overwrite').notNull(),
    records: integer('records').notNull(),
    plan: text('plan').notNull(),
  },
  (table) => [primaryKey({ columns: [table.groupId, table.version] })],
);

/** One row: what this gateway has applied of its central server's plan. */
export const appliedPlan = sqliteTable('applied_plan', {
  id: integer('id').primaryKey(),
  json: text('json').notNull(),
});

/** The last update of each group, in steps (D-107). `json` is the roll-out without its state. */
export const groupUpdate = sqliteTable('group_update', {
  groupId: text('group_id').primaryKey(),
  updateId: text('update_id').notNull(),
  state: text('state').notNull(),
  why: text('why').notNull(),
  passed: text('passed').notNull(),
  json: text('json').notNull(),
});

/** Gateways that were given an update. */
export const updateRelease = sqliteTable(
  'update_release',
  {
    updateId: text('update_id').notNull(),
    gatewayId: text('gateway_id').notNull(),
    at: real('at').notNull(),
  },
  (table) => [primaryKey({ columns: [table.updateId, table.gatewayId] })],
);

/** One row: the update that this gateway was given last by its central server. */
export const takenUpdate = sqliteTable('taken_update', {
  id: integer('id').primaryKey(),
  json: text('json').notNull(),
});
