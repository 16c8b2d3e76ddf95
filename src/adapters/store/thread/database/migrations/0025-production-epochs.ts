import type { Migration } from '../migration.ts';

/**
 * All totals of a quarter of an hour, with the time and the clock epoch in which they were made (production-quarters.ts), and
 * the shift dates of an epoch whose clock was corrected (clock-epochs.ts). Rows from before keep their times;
 * the defaults are for those that are salvaged from a damaged database of an older schema (salvage.ts).
 */
export const productionEpochs: Migration = {
  number: 25,
  sql: `
    ALTER TABLE production_quarter RENAME TO quarter_before;
    CREATE TABLE production_quarter (
      machine_id TEXT NOT NULL, shift_date TEXT NOT NULL, shift_name TEXT NOT NULL, starts_at REAL NOT NULL,
      ends_at REAL NOT NULL DEFAULT 0, epoch INTEGER NOT NULL DEFAULT 0,
      good_parts INTEGER NOT NULL, bad_parts INTEGER NOT NULL, cycles INTEGER NOT NULL DEFAULT 0,
      running_ms REAL NOT NULL DEFAULT 0, stopped_ms REAL NOT NULL DEFAULT 0, down_ms REAL NOT NULL DEFAULT 0,
      fault_ms REAL NOT NULL DEFAULT 0, override_ms REAL NOT NULL DEFAULT 0, offline_ms REAL NOT NULL DEFAULT 0,
      PRIMARY KEY (machine_id, shift_date, shift_name, starts_at, epoch)
    ) WITHOUT ROWID;
    INSERT INTO production_quarter
      SELECT machine_id, shift_date, shift_name, starts_at, starts_at, 0, good_parts, bad_parts, 0, 0, 0, 0, 0, 0, 0
      FROM quarter_before;
    DROP TABLE quarter_before;
    ALTER TABLE clock_epoch ADD COLUMN shift_dates TEXT;
  `,
};
