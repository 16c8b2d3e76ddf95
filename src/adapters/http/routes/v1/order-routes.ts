import type { TSchema } from 'typebox';
import * as Type from 'typebox';
import { MAX_CODE_LENGTH, MAX_NUMBER, MAX_ORDER_TEXT_LENGTH } from '../../../../domain/order/check-order.ts';
import { ORDER_FIELDS, type OrderField, type OrderFields } from '../../../../domain/order/order-fields.ts';
import type { OrderFlow } from '../../../../flows/orders/order-flow.ts';
import type { YamlText } from '../../../../flows/orders/order-ports.ts';
import { LIMITS } from '../../limits.ts';
import { type ApiAnswer, type ApiRoute, jsonText, route } from '../../requests/api-route.ts';
import { readTime } from '../../requests/query-times.ts';
import { CODE_AND_MESSAGE, warningsInHeader } from '../../surface-router.ts';

/** Orders in the published documents, made of the fields that `domain/order` checks. */

/** The names of an order's parts in generated clients and in the reference. */
const PARTS: Readonly<Record<string, string>> = {
  customer: 'OrderCustomer',
  schedule: 'OrderSchedule',
  userData: 'OrderUserData',
  products: 'OrderProduct',
  toolingDetail: 'OrderTooling',
  materialDetail: 'OrderMaterial',
  bundles: 'OrderBundle',
  items: 'OrderItem',
};

const orNoCode = Type.Optional(Type.Union([Type.String({ minLength: 1, maxLength: MAX_CODE_LENGTH }), Type.Null()]));

export const ORDER: TSchema = Type.Object(
  {
    ...propertiesOf(ORDER_FIELDS),
    action: Type.Optional(Type.Union([Type.Literal('Put'), Type.Null()])),
    documentID: orNoCode,
    orderCode: orNoCode,
  },
  {
    description: 'documentID or orderCode is required, products too. Further fields are kept as they came.',
    title: 'Order',
  },
);

const YAML = Type.String({ contentMediaType: 'application/yaml' });

const code = Type.Optional(Type.String({ minLength: 1, maxLength: MAX_CODE_LENGTH }));

const TIME = Type.String({ format: 'date-time', description: 'ISO 8601 with Z or an offset; inclusive' });

/** ORD-02. */
const SUMMARY_QUERY = Type.Object(
  {
    orderCode: code,
    materialCode: code,
    toolingCode: code,
    salesOrder: code,
    workOrder: code,
    requiredAfter: Type.Optional(TIME),
    requiredBefore: Type.Optional(TIME),
    skip: Type.Integer({ minimum: 0, default: 0 }),
    take: Type.Optional(Type.Integer({ minimum: 1, description: 'Rows at most; all if it is left out' })),
  },
  { additionalProperties: false },
);

/** Null is the same as a missing field. Only products may not be missing. */
function propertiesOf(fields: OrderFields): Readonly<Record<string, TSchema>> {
  const property = (name: string, field: OrderField) =>
    name === 'products' ? schemaOf(name, field) : Type.Optional(Type.Union([schemaOf(name, field), Type.Null()]));
  return Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, property(name, field)]));
}

function partOf(name: string, fields: OrderFields): TSchema {
  const { [name]: title } = PARTS;
  return Type.Object(propertiesOf(fields), title === undefined ? {} : { title });
}

function schemaOf(name: string, field: OrderField): TSchema {
  switch (field.kind) {
    case 'text':
      return Type.String({ maxLength: MAX_ORDER_TEXT_LENGTH });
    case 'number':
      return Type.Number({ minimum: -MAX_NUMBER, maximum: MAX_NUMBER });
    case 'flag':
      return Type.Boolean();
    case 'time':
      return Type.String({ description: 'ISO 8601: a date, or a date with a time' });
    case 'object':
      return partOf(name, field.fields);
    case 'list':
      return Type.Array(partOf(name, field.fields), { maxItems: field.maxItems });
  }
}

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
