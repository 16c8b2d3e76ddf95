import type { Migration } from '../../migration.ts';

/** Orders as they came, and the rows of their summaries with the fields for searching. */
export const orders: Migration = {
  number: 4,
  sql: `
    CREATE TABLE customer_order (
      order_key TEXT PRIMARY KEY, document_id TEXT, order_code TEXT, json TEXT NOT NULL, at REAL NOT NULL,
      principal TEXT NOT NULL
    );
    CREATE INDEX customer_order_by_code ON customer_order (order_code);
    CREATE TABLE order_row (
      order_key TEXT NOT NULL, place INTEGER NOT NULL, order_code TEXT, material_code TEXT, tooling_code TEXT,
      sales_order TEXT, work_orders TEXT NOT NULL, json TEXT NOT NULL, yaml TEXT NOT NULL,
      PRIMARY KEY (order_key, place)
    ) WITHOUT ROWID;
    CREATE INDEX order_row_by_key ON order_row (order_code, material_code, tooling_code);
    CREATE INDEX order_row_by_material ON order_row (material_code);
    CREATE INDEX order_row_by_tooling ON order_row (tooling_code);
    CREATE INDEX order_row_by_sales_order ON order_row (sales_order);
  `,
};
