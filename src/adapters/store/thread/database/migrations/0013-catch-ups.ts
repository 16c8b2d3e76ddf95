import type { Migration } from '../migration.ts';

/**
 * `reading`: the machine's counters when the totals were taken, as JSON (MachineReading). `received_catch_up`: the amounts
 * to add to a stream's totals of a shift and of a work session, because another stream of its data directory, `former`, had
 * counted on meanwhile (domain/sync/catch-up.ts). `received_session`: the totals of each work session by stream, so that
 * streams can be told apart. `overruled`: a person took the name from the stream.
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
      session_id TEXT, session_offset TEXT, former TEXT NOT NULL,
      PRIMARY KEY (gateway_id, machine_id, stream)
    ) WITHOUT ROWID;
    CREATE TABLE received_session (
      gateway_id TEXT NOT NULL, session_id TEXT NOT NULL, stream TEXT NOT NULL, last_active_at REAL NOT NULL,
      good_parts INTEGER NOT NULL, bad_parts INTEGER NOT NULL, cycles INTEGER NOT NULL,
      PRIMARY KEY (gateway_id, session_id, stream)
    ) WITHOUT ROWID;
    CREATE INDEX received_session_by_time ON received_session (last_active_at);
    ALTER TABLE received_refusal ADD COLUMN overruled INTEGER NOT NULL DEFAULT 1;
  `,
};
