import { type CheckedOrder, own } from './check-order.ts';

/** The key of an order: its documentID, or else its orderCode (D-20). The order was checked. */
export interface OrderIdentity {
  readonly orderKey: string;
  readonly documentId: string | null;
  readonly orderCode: string | null;
}

export function orderIdentity(order: CheckedOrder): OrderIdentity {
  const documentId = textOrNull(own(order, 'documentID'));
  const orderCode = textOrNull(own(order, 'orderCode'));
  const orderKey = documentId === null ? `orderCode ${orderCode}` : `documentID ${documentId}`;
  return { orderKey, documentId, orderCode };
}

/** The parts of a key by which its order is found among others (D-20). */
export function keyParts(orderKey: string): { readonly by: 'documentID' | 'orderCode'; readonly id: string } {
  const space = orderKey.indexOf(' ');
  const by = orderKey.slice(0, space) === 'documentID' ? 'documentID' : 'orderCode';
  return { by, id: orderKey.slice(space + 1) };
}

function textOrNull(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}
