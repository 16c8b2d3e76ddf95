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

export const ORDER: TSchema = Type.Object(propertiesOf(ORDER_FIELDS), {
  description: 'documentID or orderCode is required, products too. Further fields are kept as they came.',
  required: ['products'],
  title: 'Order',
});

export const YAML = Type.String({ contentMediaType: 'application/yaml' });

const code = Type.Optional(Type.String({ minLength: 1, maxLength: MAX_CODE_LENGTH }));

/** ORD-02. */
export const SUMMARY_QUERY = Type.Object(
  { orderCode: code, materialCode: code, toolingCode: code, salesOrder: code, workOrder: code },
  { additionalProperties: false },
);

function propertiesOf(fields: OrderFields): Readonly<Record<string, TSchema>> {
  return Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, Type.Optional(orNull(name, field))]));
}

function orNull(name: string, field: OrderField): TSchema {
  return Type.Union([schemaOf(name, field), Type.Null()]);
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
