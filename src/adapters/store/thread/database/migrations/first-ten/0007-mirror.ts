import type { Migration } from '../../migration.ts';

/**
 * The mirror of the central server (UP-07). `mirror_staged` has the differing records of a reading until the reading is
 * complete. `mirrored_order_row` has summaries of orders: rows with an older generation than `mirror_state` are
 * obsolete, rows with a newer one are incomplete. The server's orders are shown, except orders that are queued for the
 * server, or came too shortly before the reading to be in it.
 */
export const mirror: Migration = {
  number: 7,
  sql: `
    CREATE INDEX upstream_profile_by_name ON upstream_profile (upstream_id);
    CREATE TABLE mirror_state (kind TEXT PRIMARY KEY, mirrored_at REAL NOT NULL, generation INTEGER) WITHOUT ROWID;
    CREATE TABLE mirror_staged (
      kind TEXT NOT NULL, id TEXT NOT NULL, machine_id TEXT, last_operation TEXT, json TEXT NOT NULL,
      PRIMARY KEY (kind, id)
    ) WITHOUT ROWID;
    CREATE TABLE mirrored_order_row (
      generation INTEGER NOT NULL, order_key TEXT NOT NULL, place INTEGER NOT NULL, order_code TEXT, material_code TEXT,
      tooling_code TEXT, sales_order TEXT, work_orders TEXT NOT NULL, json TEXT NOT NULL, yaml TEXT NOT NULL,
      PRIMARY KEY (generation, order_key, place)
    ) WITHOUT ROWID;
    CREATE VIEW shown_order_row AS
      SELECT order_key, place, order_code, material_code, tooling_code, sales_order, work_orders, json, yaml
        FROM order_row
        WHERE NOT EXISTS (SELECT 1 FROM mirror_state WHERE kind = 'orders')
          OR EXISTS (SELECT 1 FROM queue_lane WHERE entity = 'order:' || order_key)
          OR (
            EXISTS (
              SELECT 1 FROM customer_order AS own, mirror_state AS state
              WHERE own.order_key = order_row.order_key AND state.kind = 'orders' AND own.at > state.mirrored_at - 10000
            ) AND NOT EXISTS (
              SELECT 1 FROM mirrored_order_row AS theirs, mirror_state AS state
              WHERE state.kind = 'orders' AND theirs.generation = state.generation
                AND theirs.order_key = order_row.order_key
            )
          )
      UNION ALL
      SELECT order_key, place, order_code, material_code, tooling_code, sales_order, work_orders, json, yaml
        FROM mirrored_order_row
        WHERE generation = (SELECT generation FROM mirror_state WHERE kind = 'orders')
          AND NOT EXISTS (SELECT 1 FROM queue_lane WHERE entity = 'order:' || order_key);
  `,
};
