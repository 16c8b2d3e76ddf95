import type { Migration } from '../../migration.ts';

/**
 * The profile library. A profile's change number is the number of its latest change. `profile_stay` has its catalogs
 * with the changes at which it came and left; `profile_epoch` has the owners of the numbers
 * (profiles/change-numbers.ts). Clients read `json`, machines are sent `delivered`.
 */
export const profiles: Migration = {
  number: 3,
  sql: `
    CREATE TABLE profile (
      profile_id TEXT PRIMARY KEY, revision INTEGER NOT NULL, change_number INTEGER NOT NULL,
      catalog_id INTEGER NOT NULL, archived INTEGER NOT NULL, name TEXT NOT NULL, category TEXT, sub_category TEXT,
      json TEXT NOT NULL, delivered TEXT NOT NULL
    );
    CREATE INDEX profile_by_change ON profile (change_number, profile_id, catalog_id, archived);
    CREATE INDEX profile_by_name ON profile (archived, name COLLATE NOCASE, profile_id);
    CREATE TABLE profile_stay (
      profile_id TEXT NOT NULL, from_number INTEGER NOT NULL, catalog_id INTEGER NOT NULL, until_number INTEGER,
      PRIMARY KEY (profile_id, from_number)
    ) WITHOUT ROWID;
    CREATE TABLE profile_epoch (id INTEGER PRIMARY KEY, epoch TEXT NOT NULL UNIQUE, first_number INTEGER NOT NULL);
  `,
};
