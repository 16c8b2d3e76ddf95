import type { Migration } from '../migration.ts';

/** Production by the quarter of an hour, and the times of overrides (machine-course.ts). */
export const machineCourse: Migration = {
  number: 20,
  sql: `
    CREATE TABLE production_quarter (
      machine_id TEXT NOT NULL, shift_date TEXT NOT NULL, shift_name TEXT NOT NULL, starts_at INTEGER NOT NULL,
      good_parts INTEGER NOT NULL, bad_parts INTEGER NOT NULL,
      PRIMARY KEY (machine_id, shift_date, shift_name, starts_at)
    ) WITHOUT ROWID;
    CREATE TABLE override_span (
      machine_id TEXT NOT NULL, started_at REAL NOT NULL, ended_at REAL, PRIMARY KEY (machine_id, started_at)
    ) WITHOUT ROWID;
  `,
};
