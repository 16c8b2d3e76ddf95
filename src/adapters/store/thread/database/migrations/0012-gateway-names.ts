import type { Migration } from '../migration.ts';

/**
 * Our own stream has its name, so that a new name begins a new stream, and the id of its data directory. Each gateway
 * has the stream that holds its name, and the refused streams (domain/sync/name-claim.ts). Acts are recognised by their
 * id alone, because a copy with its own name brings the original's acts again. The totals of a shift stay for each
 * stream, so that totals that a copy overwrote can be shown again.
 */
export const gatewayNames: Migration = {
  number: 12,
  sql: `
    ALTER TABLE sync_stream ADD COLUMN gateway_id TEXT;
    ALTER TABLE sync_stream ADD COLUMN directory TEXT;
    ALTER TABLE received_stream DROP COLUMN cloned_at;
    ALTER TABLE received_stream ADD COLUMN directory TEXT NOT NULL DEFAULT '';
    CREATE INDEX received_act_by_operation ON received_act (operation_id);
    CREATE TABLE received_name (gateway_id TEXT PRIMARY KEY, stream TEXT NOT NULL) WITHOUT ROWID;
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
