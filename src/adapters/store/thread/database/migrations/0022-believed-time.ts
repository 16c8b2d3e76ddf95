import type { Migration } from '../migration.ts';

/** One row: the time at which the clock was believed last, for the retention (retention.ts). */
export const believedTime: Migration = {
  number: 22,
  sql: `
    CREATE TABLE believed_time (id INTEGER PRIMARY KEY CHECK (id = 1), at REAL NOT NULL);
    INSERT INTO believed_time SELECT 1, written_at FROM applied_batch;
  `,
};
