import { sql } from 'drizzle-orm';
import { index, integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core';

/**
 * Tables of the profile library. Times are wall-clock milliseconds since 1970; `epoch` is the clock
 * epoch in which a row was written (D-04). Each change needs a migration (development.md, Migrations).
 */

/** A profile with the number of its latest change. Clients read `json`, machines are sent `delivered`. */
export const profile = sqliteTable(
  'profile',
  {
    profileId: text('profile_id').primaryKey(),
    revision: integer('revision').notNull(),
    changeNumber: integer('change_number').notNull(),
    catalogId: integer('catalog_id').notNull(),
    archived: integer('archived').notNull(),
    name: text('name').notNull(),
    category: text('category'),
    subCategory: text('sub_category'),
    json: text('json').notNull(),
    delivered: text('delivered').notNull(),
  },
  (table) => [
    index('profile_by_change').on(table.changeNumber, table.profileId, table.catalogId, table.archived),
    index('profile_by_name').on(table.archived, sql`name COLLATE NOCASE`, table.profileId),
  ],
);

/** The catalogs of a profile, with the changes at which it came and left. */
export const catalogMembership = sqliteTable(
  'catalog_membership',
  {
    profileId: text('profile_id').notNull(),
    fromNumber: integer('from_number').notNull(),
    catalogId: integer('catalog_id').notNull(),
    untilNumber: integer('until_number'),
  },
  (table) => [primaryKey({ columns: [table.profileId, table.fromNumber] })],
);

/** The owners of the change numbers of profiles (number-epochs.ts). */
export const profileEpoch = sqliteTable('profile_epoch', {
  id: integer('id').primaryKey(),
  epoch: text('epoch').notNull().unique(),
  firstNumber: integer('first_number').notNull(),
});

/**
 * The change number at which a machine was last subscribed to a catalog, or unsubscribed. A machine is recognised by its
 * serial number, also after it was removed and added again. Without a row nothing has changed.
 */
export const catalogSubscription = sqliteTable(
  'catalog_subscription',
  {
    serialNumber: text('serial_number').notNull(),
    catalogId: integer('catalog_id').notNull(),
    changeNumber: integer('change_number').notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.serialNumber, table.catalogId] }),
    index('catalog_subscription_by_change').on(table.changeNumber),
  ],
);
