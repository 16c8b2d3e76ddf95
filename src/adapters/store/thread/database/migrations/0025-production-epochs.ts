import type { Migration } from '../migration.ts';

/**
 * All totals of a quarter of an hour, with the time and the clock epoch in which they were made (machine-course.ts), and
 * the shift dates of an epoch whose clock was corrected (clock-epochs.ts). Rows from before keep their times.
 */
export const productionEpochs: Migration = {
  number: 25,
  sql: `
    ALTER TABLE production_quarter RENAME TO quarter_before;
    CREATE TABLE production_quarter (
      machine_id TEXT NOT NULL, shift_date TEXT NOT NULL, shift_name TEXT NOT NULL, starts_at REAL NOT NULL,
      ends_at REAL NOT NULL, epoch INTEGER NOT NULL,
      good_parts INTEGER NOT NULL, bad_parts INTEGER NOT NULL, cycles INTEGER NOT NULL, running_ms REAL NOT NULL,
      stopped_ms REAL NOT NULL, down_ms REAL NOT NULL, fault_ms REAL NOT NULL, override_ms REAL NOT NULL,
      offline_ms REAL NOT NULL,
      PRIMARY KEY (machine_id, shift_date, shift_name, starts_at, epoch)
    ) WITHOUT ROWID;
    INSERT INTO production_quarter
      SELECT machine_id, shift_date, shift_name, starts_at, starts_at, 0, good_parts, bad_parts, 0, 0, 0, 0, 0, 0, 0
      FROM quarter_before;
    DROP TABLE quarter_before;
    ALTER TABLE clock_epoch ADD COLUMN shift_dates TEXT;
  `,
};
