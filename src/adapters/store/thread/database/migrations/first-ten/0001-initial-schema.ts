import type { Migration } from '../../migration.ts';

/** The schema of the first release. The `variable_…` tables are explained in point-journal.ts and block-packer.ts. */
export const initialSchema: Migration = {
  number: 1,
  sql: `
    CREATE TABLE machine_state (machine_id TEXT PRIMARY KEY, json TEXT NOT NULL) WITHOUT ROWID;
    CREATE TABLE machine_part (machine_id TEXT PRIMARY KEY, json TEXT, at INTEGER NOT NULL) WITHOUT ROWID;
    CREATE TABLE shift_totals (
      machine_id TEXT NOT NULL, shift_date TEXT NOT NULL, shift_name TEXT NOT NULL,
      good_parts INTEGER NOT NULL, bad_parts INTEGER NOT NULL, cycles INTEGER NOT NULL,
      running_ms REAL NOT NULL, stopped_ms REAL NOT NULL, down_ms REAL NOT NULL,
      fault_ms REAL NOT NULL, override_ms REAL NOT NULL, offline_ms REAL NOT NULL,
      PRIMARY KEY (machine_id, shift_date, shift_name)
    ) WITHOUT ROWID;
    CREATE TABLE downtime (
      downtime_id TEXT PRIMARY KEY, machine_id TEXT NOT NULL, started_at REAL NOT NULL, ended_at REAL,
      reason_id TEXT, note TEXT, user_name TEXT, epoch INTEGER NOT NULL
    );
    CREATE INDEX downtime_by_machine ON downtime (machine_id, started_at);
    CREATE TABLE span (
      span_id TEXT PRIMARY KEY, machine_id TEXT NOT NULL, activity TEXT NOT NULL,
      started_at REAL NOT NULL, ended_at REAL, epoch INTEGER NOT NULL
    );
    CREATE INDEX span_by_machine ON span (machine_id, started_at);
    CREATE TABLE work_session (
      session_id TEXT PRIMARY KEY, machine_id TEXT NOT NULL, job_number TEXT, part_id TEXT, user_id TEXT,
      started_at REAL NOT NULL, last_active_at REAL NOT NULL, ended_at REAL,
      good_parts INTEGER NOT NULL, bad_parts INTEGER NOT NULL, cycles INTEGER NOT NULL, epoch INTEGER NOT NULL
    );
    CREATE INDEX work_session_by_machine ON work_session (machine_id, started_at);
    CREATE TABLE anomaly (
      machine_id TEXT NOT NULL, at REAL NOT NULL, counter TEXT NOT NULL,
      from_count INTEGER NOT NULL, to_count INTEGER NOT NULL, epoch INTEGER NOT NULL,
      PRIMARY KEY (machine_id, at, counter)
    ) WITHOUT ROWID;
    CREATE TABLE plant (kind TEXT NOT NULL, id TEXT NOT NULL, json TEXT NOT NULL, PRIMARY KEY (kind, id)) WITHOUT ROWID;
    CREATE TABLE broker_row (
      table_name TEXT NOT NULL, key TEXT NOT NULL, value BLOB NOT NULL, PRIMARY KEY (table_name, key)
    ) WITHOUT ROWID;
    CREATE TABLE applied_batch (
      id INTEGER PRIMARY KEY, run_id TEXT NOT NULL, number INTEGER NOT NULL, written_at REAL NOT NULL
    );
    CREATE TABLE publication_receipt (
      client_id TEXT NOT NULL, slot INTEGER NOT NULL, message_id INTEGER NOT NULL, payload_hash INTEGER NOT NULL,
      at REAL NOT NULL, PRIMARY KEY (client_id, slot)
    ) WITHOUT ROWID;
    CREATE TABLE clock_epoch (
      id INTEGER PRIMARY KEY, boot_id TEXT NOT NULL, run_id TEXT NOT NULL, opened_at REAL NOT NULL,
      correction_ms REAL NOT NULL
    );
    CREATE TABLE variable_series (id INTEGER PRIMARY KEY, machine_id TEXT NOT NULL, name TEXT NOT NULL);
    CREATE UNIQUE INDEX variable_series_by_name ON variable_series (machine_id, name);
    CREATE TABLE variable_recent (id INTEGER PRIMARY KEY, epoch INTEGER NOT NULL, points BLOB NOT NULL);
    CREATE TABLE variable_packing (id INTEGER PRIMARY KEY, up_to_recent INTEGER NOT NULL, up_to_series INTEGER NOT NULL);
    CREATE TABLE variable_block (
      id INTEGER PRIMARY KEY, series INTEGER NOT NULL, start_at INTEGER NOT NULL, end_at INTEGER NOT NULL,
      day INTEGER NOT NULL, epoch INTEGER NOT NULL, count INTEGER NOT NULL, points BLOB NOT NULL
    );
    CREATE INDEX variable_block_by_start ON variable_block (series, start_at);
  `,
};
