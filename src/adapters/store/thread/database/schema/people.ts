import { real, sqliteTable, text } from 'drizzle-orm/sqlite-core';

/**
 * The people signed in at the page (D-96). Times are wall-clock milliseconds since 1970. Each change needs a migration
 * (development.md, Migrations).
 */
export const personSession = sqliteTable('person_session', {
  /** The SHA-256 of the token. */
  sessionId: text('session_id').primaryKey(),
  person: text('person').notNull(),
  personDigest: text('person_digest').notNull(),
  origin: text('origin').notNull(),
  address: text('address').notNull(),
  panelId: text('panel_id'),
  panelName: text('panel_name'),
  since: real('since').notNull(),
  lastUsedAt: real('last_used_at').notNull(),
});
