import { index, integer, primaryKey, real, sqliteTable, text } from 'drizzle-orm/sqlite-core';

/**
 * Tables of alerts. Times are wall-clock milliseconds since 1970. Each change needs a migration (development.md,
 * Migrations).
 */

/** Rules, channels and recipients. `json` of a channel holds its secrets. */
export const alertSetting = sqliteTable(
  'alert_setting',
  {
    kind: text('kind').notNull(),
    id: text('id').notNull(),
    json: text('json').notNull(),
  },
  (table) => [primaryKey({ columns: [table.kind, table.id] })],
);

/** An alert with everything that somebody is still to be told of it. */
export const alert = sqliteTable(
  'alert',
  {
    number: integer('number').primaryKey(),
    alertId: text('alert_id').notNull().unique(),
    ruleId: text('rule_id').notNull(),
    openedAt: real('opened_at').notNull(),
    endedAt: real('ended_at'),
    isOwed: integer('is_owed').notNull(),
    json: text('json').notNull(),
  },
  (table) => [index('alert_by_end').on(table.endedAt), index('alert_by_opening').on(table.openedAt)],
);

/** Messages that no channel has taken yet. */
export const alertMessage = sqliteTable('alert_message', {
  messageId: text('message_id').primaryKey(),
  json: text('json').notNull(),
});
