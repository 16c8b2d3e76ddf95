import type { Migration } from '../migration.ts';

/**
 * The last time that a machine was subscribed to a catalog, or unsubscribed, as a change number like those of profiles.
 * A machine is recognised by its serial number, also after it was removed and added again. A machine and catalog
 * without a row have not changed since this table exists.
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
