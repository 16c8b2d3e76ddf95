import { index, integer, primaryKey, real, sqliteTable, text } from 'drizzle-orm/sqlite-core';

/**
 * Tables of orders, ours and those of the central server. Times are wall-clock milliseconds since 1970; `epoch` is the clock
 * epoch in which a row was written (D-04). Each change needs a migration (development.md, Migrations).
 */

/** Orders as they came. */
export const customerOrder = sqliteTable(
  'customer_order',
  {
    orderKey: text('order_key').primaryKey(),
    documentId: text('document_id'),
    orderCode: text('order_code'),
    json: text('json').notNull(),
    at: real('at').notNull(),
    principal: text('principal').notNull(),
  },
  (table) => [index('customer_order_by_code').on(table.orderCode)],
);

/** The rows of the summaries of our orders, with the fields for searching. */
export const orderRow = sqliteTable(
  'order_row',
  {
    orderKey: text('order_key').notNull(),
    place: integer('place').notNull(),
    orderCode: text('order_code'),
    materialCode: text('material_code'),
    toolingCode: text('tooling_code'),
    salesOrder: text('sales_order'),
    workOrders: text('work_orders').notNull(),
    json: text('json').notNull(),
    yaml: text('yaml').notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.orderKey, table.place] }),
    index('order_row_by_key').on(table.orderCode, table.materialCode, table.toolingCode),
    index('order_row_by_material').on(table.materialCode),
    index('order_row_by_tooling').on(table.toolingCode),
    index('order_row_by_sales_order').on(table.salesOrder),
  ],
);

/** One row that counts readings of the central server's summaries: the last begun one and the shown one. */
export const orderReading = sqliteTable('order_reading', {
  id: integer('id').primaryKey(),
  begun: integer('begun').notNull(),
  applied: integer('applied').notNull(),
});

/**
 * Orders that were changed or removed here, each until a reading is shown that began after the server had the change. While
 * the change is queued, `queue_head` says so.
 */
export const ownOrder = sqliteTable(
  'own_order',
  {
    orderKey: text('order_key').primaryKey(),
    untilReading: integer('until_reading').notNull(),
  },
  (table) => [index('own_order_by_reading').on(table.untilReading)],
);

/**
 * The server's summaries. Rows with an older generation than `mirror_state` are obsolete, rows with a newer one incomplete.
 * Rows of ours replace a row (`is_replaced`) if one of its orders was changed here and all others are known here.
 */
export const mirroredOrderRow = sqliteTable(
  'mirrored_order_row',
  {
    generation: integer('generation').notNull(),
    orderKey: text('order_key').notNull(),
    place: integer('place').notNull(),
    orderCode: text('order_code'),
    materialCode: text('material_code'),
    toolingCode: text('tooling_code'),
    salesOrder: text('sales_order'),
    workOrders: text('work_orders').notNull(),
    json: text('json').notNull(),
    yaml: text('yaml').notNull(),
    isReplaced: integer('is_replaced').notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.generation, table.orderKey, table.place] }),
    index('mirrored_order_row_by_code').on(table.generation, table.orderCode),
  ],
);

/** The orders that a row of the server sums up. Such a row has a key that no order has. */
export const mirroredOrderDocument = sqliteTable(
  'mirrored_order_document',
  {
    documentKey: text('document_key').notNull(),
    generation: integer('generation').notNull(),
    orderKey: text('order_key').notNull(),
    place: integer('place').notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.documentKey, table.generation, table.orderKey, table.place] }),
    index('mirrored_order_document_by_row').on(table.generation, table.orderKey, table.place),
  ],
);

/** When each kind of record was last mirrored from the central server (UP-07). */
export const mirrorState = sqliteTable('mirror_state', {
  kind: text('kind').primaryKey(),
  mirroredAt: real('mirrored_at').notNull(),
  generation: integer('generation'),
});

/** The differing records of a reading of the server until the reading is complete. */
export const mirrorStaged = sqliteTable(
  'mirror_staged',
  {
    kind: text('kind').notNull(),
    id: text('id').notNull(),
    machineId: text('machine_id'),
    lastOperation: text('last_operation'),
    json: text('json').notNull(),
  },
  (table) => [primaryKey({ columns: [table.kind, table.id] })],
);
