import type { Migration } from '../migration.ts';

/**
 * `reading`: what the machine's counters said when the totals were taken, as JSON (MachineReading). `received_catch_up`:
 * what is to be added to the totals that a stream gives of a shift and of a work session, for another stream of its data
 * directory had counted on meanwhile (domain/sync/catch-up.ts).
 */
export const catchUps: Migration = {
  number: 13,
  sql: `
    ALTER TABLE shift_totals ADD COLUMN reading TEXT;
    ALTER TABLE received_shift ADD COLUMN reading TEXT;
    INSERT INTO queue_total VALUES ('catchUp', 0, 0, 0);
    CREATE TABLE received_catch_up (
      gateway_id TEXT NOT NULL, machine_id TEXT NOT NULL, stream TEXT NOT NULL, at REAL NOT NULL,
      shift_date TEXT NOT NULL, shift_name TEXT NOT NULL, shift_offset TEXT NOT NULL,
      session_id TEXT, session_offset TEXT,
      PRIMARY KEY (gateway_id, machine_id, stream)
    ) WITHOUT ROWID;
  `,
};
