import type { Migration } from '../migration.ts';

/** The audit log. A number is never used twice, so that a gap shows. */
export const audit: Migration = {
  number: 19,
  sql: `
    CREATE TABLE audit (
      number INTEGER PRIMARY KEY AUTOINCREMENT,
      entry_id TEXT NOT NULL UNIQUE,
      at REAL NOT NULL,
      who TEXT NOT NULL,
      role TEXT NOT NULL,
      address TEXT NOT NULL,
      act TEXT NOT NULL,
      subject TEXT NOT NULL,
      before TEXT,
      after TEXT,
      previous TEXT NOT NULL,
      hash TEXT NOT NULL
    ) STRICT;
  `,
};
