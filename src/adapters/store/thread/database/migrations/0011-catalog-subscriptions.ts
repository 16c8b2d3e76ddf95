import type { Migration } from '../migration.ts';

/**
 * When a machine was last subscribed to a catalog, or no longer: a change number like those of profiles. A machine is known
 * by its serial number, also when it was taken away and comes again. A machine and catalog without a row have not changed
 * since this table exists.
 */
export const catalogSubscriptions: Migration = {
  number: 11,
  sql: `
    CREATE TABLE catalog_subscription (
      serial_number TEXT NOT NULL, catalog_id INTEGER NOT NULL, change_number INTEGER NOT NULL,
      PRIMARY KEY (serial_number, catalog_id)
    ) WITHOUT ROWID;
    CREATE INDEX catalog_subscription_by_change ON catalog_subscription (change_number);
  `,
};
