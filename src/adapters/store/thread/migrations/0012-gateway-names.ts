import type { Migration } from '../migration.ts';

/**
 * Under which name the own stream goes, so that a new name begins a new one. Which streams of a gateway are refused its name (domain/sync/name-claim.ts): the one with the newest `place` holds it.
 * Of shifts, what each stream said of them stays, so that those of a copy can be taken back.
 */
export const gatewayNames: Migration = {
  number: 12,
  sql: `
    ALTER TABLE sync_stream ADD COLUMN gateway_id TEXT;
    ALTER TABLE received_stream DROP COLUMN cloned_at;
    CREATE TABLE received_refusal (
      gateway_id TEXT NOT NULL, stream TEXT NOT NULL, since REAL NOT NULL, principal TEXT NOT NULL,
      PRIMARY KEY (gateway_id, stream)
    ) WITHOUT ROWID;
    CREATE TABLE received_shift (
      gateway_id TEXT NOT NULL, stream TEXT NOT NULL, machine_id TEXT NOT NULL, shift_date TEXT NOT NULL,
      shift_name TEXT NOT NULL, good_parts INTEGER NOT NULL, bad_parts INTEGER NOT NULL, cycles INTEGER NOT NULL,
      running_ms REAL NOT NULL, stopped_ms REAL NOT NULL, down_ms REAL NOT NULL,
      fault_ms REAL NOT NULL, override_ms REAL NOT NULL, offline_ms REAL NOT NULL,
      PRIMARY KEY (gateway_id, stream, machine_id, shift_date, shift_name)
    ) WITHOUT ROWID;
    CREATE INDEX received_shift_by_date ON received_shift (shift_date);
  `,
};
