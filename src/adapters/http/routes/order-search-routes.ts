import * as Type from 'typebox';
import type { OrderFlow } from '../../../flows/orders/order-flow.ts';
import { LIMITS } from '../limits.ts';
import { type ApiRoute, described, getBy, json } from '../requests/api-route.ts';
import { limitOf, record } from './shapes.ts';
import { page } from './v1/warehouse-shapes.ts';

const QUERY = Type.Object(
  {
    q: Type.Optional(Type.String({ maxLength: LIMITS.queryTextLength })),
    onHold: Type.Boolean({ default: false }),
    skip: page.skip,
    take: limitOf(200),
  },
  { additionalProperties: false },
);

/** The search for orders: rows of the summary that contain a text, as JSON (contract.md, Local API). */
export function orderSearchRoutes(orders: Pick<OrderFlow, 'find'>): readonly ApiRoute[] {
  return [
    getBy(
      '/orders',
      'technician',
      QUERY,
      described('Finds orders that hold a text', record('FoundOrders', '{rows, more, total, held, next}')),
      async ({ query: { q, onHold, skip, take } }) => json(await orders.find({ text: q ?? null, onHold, skip, take })),
    ),
  ];
}
