import * as Type from 'typebox';
import { ORDER_CHOICES } from '../../../domain/order/order-progress.ts';
import type { OrderFlow } from '../../../flows/orders/order-flow.ts';
import { LIMITS } from '../limits.ts';
import { type ApiRoute, described, getBy, json } from '../requests/api-route.ts';
import { choice, limitOf, record } from './shapes.ts';
import { page } from './v1/warehouse-shapes.ts';

const QUERY = Type.Object(
  {
    q: Type.Optional(Type.String({ maxLength: LIMITS.queryTextLength })),
    choice: Type.Optional(choice(ORDER_CHOICES)),
    skip: page.skip,
    take: limitOf(200),
  },
  { additionalProperties: false },
);

const ITEMS_QUERY = Type.Object(
  {
    orderKey: Type.String({ minLength: 1, maxLength: LIMITS.queryTextLength, description: 'as `/orders` gives it' }),
    skip: page.skip,
    take: limitOf(200),
  },
  { additionalProperties: false },
);

/** The search for orders, and the items of each with their progress, as JSON (contract.md, Local API; D-90). */
export function orderSearchRoutes(orders: Pick<OrderFlow, 'find' | 'items'>): readonly ApiRoute[] {
  return [
    getBy(
      '/orders',
      'technician',
      QUERY,
      described('Finds orders that hold a text', record('FoundOrders', '{rows, counts, next}')),
      async ({ query: { q, choice: chosen = 'open', skip, take } }) =>
        json(await orders.find({ text: q ?? null, choice: chosen, skip, take })),
    ),
    getBy(
      '/orders/items',
      'technician',
      ITEMS_QUERY,
      described('Lists the items of an order with the pieces made', record('OrderItems', '{order, items, total}')),
      async ({ query: { orderKey, skip, take } }) => json(await orders.items(orderKey, skip, take)),
    ),
  ];
}
