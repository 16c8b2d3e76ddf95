import { Value } from 'typebox/value';
import { expect, it } from 'vitest';
import { ORDER } from '../../../../src/adapters/http/routes/v1/order-routes.ts';
import { checkOrder } from '../../../../src/domain/order/check-order.ts';

const order = { orderCode: 'A-1', products: [] };

it.each([
  [order, true],
  [{ ...order, action: 'Put', documentID: null, customer: null }, true],
  [{ ...order, action: 'Delete' }, false],
  [{ ...order, products: null }, false],
  [{ orderCode: 'A-1' }, false],
  [{ ...order, orderCode: '' }, false],
  [{ ...order, documentID: 'x'.repeat(200) }, true],
  [{ ...order, documentID: 'x'.repeat(201) }, false],
])('ORD-01 the published schema of an order permits what the gateway takes: %j', (body, isTaken) => {
  expect(checkOrder(JSON.stringify(body)).ok).toBe(isTaken);
  expect(Value.Check(ORDER, body)).toBe(isTaken);
});
