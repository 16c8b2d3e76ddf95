import type { JsonObject } from '../json/json.ts';
import type { OrderSummaryRow } from '../order/order-summary.ts';

/** A row of a summary of orders. The interface does not define its fields (ORD-02). */
export function mirroredOrderRow(fields: JsonObject): OrderSummaryRow {
  const documentId = text(fields.documentID);
  const workOrder = text(fields.workOrder);
  return {
    orderCode: text(fields.orderCode),
    documentIDs: documentId === null ? texts(fields.documentIDs) : [documentId],
    customer: text(fields.customer),
    salesOrder: text(fields.salesOrder),
    purchaseOrder: text(fields.purchaseOrder),
    requiredDateTime: text(fields.requiredDateTime),
    shipDate: text(fields.shipDate),
    onHold: fields.onHold === true,
    materialCode: text(fields.materialCode),
    toolingCode: text(fields.toolingCode),
    workOrders: workOrder === null ? texts(fields.workOrders) : [workOrder],
    bundles: number(fields.bundles),
    items: number(fields.items),
    pieces: number(fields.pieces),
    lengthFt: number(fields.lengthFt),
  };
}

/** Codes may be written as numbers. */
function text(value: unknown): string | null {
  if (typeof value === 'string') return value;
  return typeof value === 'number' ? String(value) : null;
}

function texts(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.flatMap((item) => text(item) ?? []) : [];
}

function number(value: unknown): number {
  return typeof value === 'number' && Number.isFinite(value) ? value : 0;
}
