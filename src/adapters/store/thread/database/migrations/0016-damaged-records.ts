import type { Migration } from '../migration.ts';

/** Records that could not be read, as they were stored, to be repaired by hand. */
export const damagedRecords: Migration = {
  number: 16,
  sql: `
    CREATE TABLE damaged_record (
      id INTEGER PRIMARY KEY, table_name TEXT NOT NULL, key TEXT NOT NULL, content TEXT NOT NULL,
      reason TEXT NOT NULL, found_at REAL NOT NULL
    );
    CREATE UNIQUE INDEX damaged_record_by_content ON damaged_record (table_name, key, content);
  `,
};
