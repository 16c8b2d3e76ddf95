import * as Type from 'typebox';
import type { OrderFlow } from '../../../flows/orders/order-flow.ts';
import { LIMITS } from '../limits.ts';
import { type ApiRoute, described, getBy, json } from '../requests/api-route.ts';
import { limitOf, record } from './shapes.ts';

const QUERY = Type.Object(
  { q: Type.Optional(Type.String({ maxLength: LIMITS.queryTextLength })), take: limitOf(200) },
  { additionalProperties: false },
);

/** The search for orders: rows of the summary that contain a text, as JSON (contract.md, Local API). */
export function orderSearchRoutes(orders: Pick<OrderFlow, 'find'>): readonly ApiRoute[] {
  return [
    getBy(
      '/orders',
      'technician',
      QUERY,
      described('Finds orders that hold a text', record('FoundOrders', '{rows, more}')),
      async ({ query: { q, take } }) => json(await orders.find({ text: q ?? null, take })),
    ),
  ];
}
