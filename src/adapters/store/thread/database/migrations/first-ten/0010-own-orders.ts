import type { Migration } from '../../migration.ts';

/** Whether an order is shown as it was changed here, and not as it is mirrored: see `own_order`. */
const isOwn = (orderKey: string) => `(
  EXISTS (SELECT 1 FROM queue_lane WHERE entity = 'order:' || ${orderKey})
  OR EXISTS (
    SELECT 1 FROM own_order AS own, order_reading AS reading
    WHERE own.order_key = ${orderKey} AND own.until_reading > reading.applied
  )
)`;

const COLUMNS = 'order_key, place, order_code, material_code, tooling_code, sales_order, work_orders, json, yaml';
const GENERATION = "(SELECT generation FROM mirror_state WHERE kind = 'orders')";

/**
 * The shown orders if a central server is mirrored. `order_reading` counts readings of the server's summaries: the last
 * begun one and the shown one. `own_order` has the orders that were changed or removed here, each until a reading is
 * shown that began after the server had the change; while the change is queued, its lane says the same. A row of the
 * server that sums up several orders lists them in `mirrored_order_document` and has a key that no order has. Rows of
 * ours replace it (`is_replaced`) if one of the orders was changed here and all others are known here.
 */
export const ownOrders: Migration = {
  number: 10,
  sql: `
    CREATE TABLE order_reading (id INTEGER PRIMARY KEY, begun INTEGER NOT NULL, applied INTEGER NOT NULL);
    INSERT INTO order_reading VALUES (1, 0, 0);
    CREATE TABLE own_order (order_key TEXT PRIMARY KEY, until_reading INTEGER NOT NULL) WITHOUT ROWID;
    CREATE INDEX own_order_by_reading ON own_order (until_reading);
    INSERT INTO own_order SELECT order_key, 1 FROM customer_order, mirror_state
      WHERE kind = 'orders' AND at > mirrored_at - 10000;
    CREATE TRIGGER queued_order_left AFTER DELETE ON queue
      WHEN old.class = 'act' AND old.entity >= 'order:' AND old.entity < 'order;' BEGIN
      INSERT OR REPLACE INTO own_order SELECT substr(old.entity, 7), begun + 1 FROM order_reading WHERE id = 1;
    END;

    ALTER TABLE mirrored_order_row ADD COLUMN is_replaced INTEGER NOT NULL DEFAULT 0;
    CREATE INDEX mirrored_order_row_by_code ON mirrored_order_row (generation, order_code);
    CREATE TABLE mirrored_order_document (
      document_key TEXT NOT NULL, generation INTEGER NOT NULL, order_key TEXT NOT NULL, place INTEGER NOT NULL,
      PRIMARY KEY (document_key, generation, order_key, place)
    ) WITHOUT ROWID;
    CREATE INDEX mirrored_order_document_by_row ON mirrored_order_document (generation, order_key, place);

    DROP VIEW shown_order_row;
    CREATE VIEW shown_order_row AS
      SELECT ${COLUMNS} FROM order_row AS ours
        WHERE NOT EXISTS (SELECT 1 FROM mirror_state WHERE kind = 'orders')
          OR coalesce(
            (
              SELECT theirs.is_replaced FROM mirrored_order_document AS document
                CROSS JOIN mirrored_order_row AS theirs USING (generation, order_key, place)
              WHERE document.document_key = ours.order_key AND document.generation = ${GENERATION}
                AND theirs.order_code IS ours.order_code AND theirs.material_code IS ours.material_code
                AND theirs.tooling_code IS ours.tooling_code
            ),
            ${isOwn('ours.order_key')}
          )
      UNION ALL
      SELECT ${COLUMNS} FROM mirrored_order_row AS theirs
        WHERE generation = ${GENERATION} AND NOT is_replaced AND NOT ${isOwn('theirs.order_key')};
  `,
};
