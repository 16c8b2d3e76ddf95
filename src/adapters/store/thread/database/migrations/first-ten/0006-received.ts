import type { Migration } from '../../migration.ts';

/**
 * Records of other gateways' batches beside history (thread/received). `place` counts a gateway's streams in the order
 * in which they began. `position` is the digest of the newest applied batch, and `refused` has its refused records.
 * `partial_items` counts the applied items of the next batch, `partial_digest`.
 */
export const received: Migration = {
  number: 6,
  sql: `
    CREATE TABLE received_stream (
      gateway_id TEXT NOT NULL, stream TEXT NOT NULL, place INTEGER NOT NULL, position TEXT NOT NULL,
      refused TEXT NOT NULL, partial_digest TEXT, partial_items INTEGER NOT NULL, last_contact_at REAL NOT NULL,
      records INTEGER NOT NULL, principal TEXT NOT NULL, newest_point_at REAL, cloned_at REAL,
      PRIMARY KEY (gateway_id, stream)
    ) WITHOUT ROWID;
    CREATE TABLE received_machine (
      gateway_id TEXT NOT NULL, machine_id TEXT NOT NULL, status_at REAL, status_stream TEXT, status TEXT,
      PRIMARY KEY (gateway_id, machine_id)
    ) WITHOUT ROWID;
    CREATE TABLE received_act (
      gateway_id TEXT NOT NULL, operation_id TEXT NOT NULL, at REAL NOT NULL, PRIMARY KEY (gateway_id, operation_id)
    ) WITHOUT ROWID;
    CREATE INDEX received_act_by_time ON received_act (at);
  `,
};
