import type { OrderFlow } from '../../../../flows/orders/keep-orders.ts';
import type { YamlText } from '../../../../flows/orders/order-ports.ts';
import { LIMITS } from '../../limits.ts';
import { type ApiAnswer, type ApiRoute, jsonText, route } from '../../requests/api-route.ts';
import { readTime } from '../../requests/query-times.ts';
import { CODE_AND_MESSAGE, warningsInHeader } from '../../surface.ts';
import { ORDER, SUMMARY_QUERY, YAML } from './order-shapes.ts';

const ANSWERS = { 200: YAML, 400: CODE_AND_MESSAGE } as const;

/** Orders as the ERP brings and reads them (interface.md, Orders; ORD-01 to ORD-03; D-20, D-21). */
export function orderRoutes(orders: OrderFlow): readonly ApiRoute[] {
  const summaries = ['/orderSummary', '/orderSummaries'].map((path) =>
    route({
      method: 'GET',
      path,
      role: 'gateway',
      query: SUMMARY_QUERY,
      description: {
        summary: `Lists orders, a row per order code, material and tooling, as ${path.slice(1)}`,
        answers: { ...ANSWERS, 413: CODE_AND_MESSAGE },
      },
      answer: async ({ query: { requiredAfter, requiredBefore, ...query } }) =>
        yaml(
          await orders.summary({
            ...ANY,
            ...query,
            requiredAfter: requiredAfter === undefined ? null : readTime('requiredAfter', requiredAfter),
            requiredBefore: requiredBefore === undefined ? null : readTime('requiredBefore', requiredBefore),
          }),
        ),
    }),
  );
  return [
    ...summaries,
    route({
      method: 'POST',
      path: '/add',
      role: 'business',
      body: ORDER,
      isBodyText: true,
      maxBodyBytes: LIMITS.orderBodyBytes,
      description: {
        summary: 'Adds an order, or replaces the one of that documentID',
        answers: { ...ANSWERS, 409: CODE_AND_MESSAGE },
        hasWarnings: true,
      },
      // A body that is taken as text is a string.
      answer: async ({ body, identity, receipt }) => {
        const { warnings, ...summary } = await orders.add(String(body), identity.principal, receipt);
        return yaml(summary, warnings);
      },
      repeat: async (answer, body) => repeat(answer, await orders.warningsOf(String(body))),
    }),
    route({
      method: 'GET',
      path: '/:ordId',
      role: 'gateway',
      description: {
        summary: 'Gives an order back, by its documentID, or by an order code that one order has',
        answers: { 200: ORDER, 400: CODE_AND_MESSAGE, 404: CODE_AND_MESSAGE },
      },
      answer: async ({ param }) => jsonText(await orders.text(param('ordId'))),
    }),
    route({
      method: 'DELETE',
      path: '/:ordId',
      role: 'business',
      description: {
        summary: 'Removes an order by its documentID, or by an order code that one order has',
        answers: { ...ANSWERS, 404: CODE_AND_MESSAGE },
      },
      answer: async ({ param, identity, receipt }) =>
        yaml(await orders.remove(param('ordId'), identity.principal, receipt)),
      repeat: (answer) => repeat(answer),
    }),
  ];
}

const ANY = {
  orderCode: null,
  materialCode: null,
  toolingCode: null,
  salesOrder: null,
  workOrder: null,
  take: null,
} as const;

function yaml({ bytes }: YamlText, warnings: readonly string[] = []): ApiAnswer {
  return { kind: 'plainText', bytes, headers: warningsInHeader(warnings) };
}

function repeat(answer: Uint8Array<ArrayBuffer> | null, warnings?: readonly string[]): ApiAnswer {
  return yaml({ bytes: answer ?? new Uint8Array() }, warnings);
}
