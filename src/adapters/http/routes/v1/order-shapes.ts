import type { TSchema } from 'typebox';
import * as Type from 'typebox';
import { MAX_CODE_LENGTH, MAX_NUMBER, MAX_TEXT_LENGTH } from '../../../../domain/order/check-order.ts';
import { ORDER_FIELDS, type OrderField, type OrderFields } from '../../../../domain/order/order-fields.ts';

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

export const YAML = Type.String({ contentMediaType: 'application/yaml' });

const code = Type.Optional(Type.String({ minLength: 1, maxLength: MAX_CODE_LENGTH }));

const TIME = Type.String({ format: 'date-time', description: 'ISO 8601 with Z or an offset; inclusive' });

/** ORD-02. */
export const SUMMARY_QUERY = Type.Object(
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
      return Type.String({ maxLength: MAX_TEXT_LENGTH });
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
