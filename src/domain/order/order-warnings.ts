import { isJsonObject, type JsonObject } from '../json/json.ts';
import { nearestName } from '../nearest-name.ts';
import { own } from './check-order.ts';
import { ORDER_FIELDS, type OrderField, type OrderFields } from './order-fields.ts';

/** Warnings of one order; the header that they stand in holds few anyway. */
const MAX_WARNINGS = 20;
/** The number of examined entries of a list: unknown fields are usually the same in all of them. */
const MAX_ENTRIES = 50;
/** A longer field name is shortened in a warning. */
const MAX_NAME_LENGTH = 60;

/** The unknown fields of an order, which were kept (D-37), one sentence each, each field of a list once. */
export function orderWarnings(order: JsonObject): readonly string[] {
  const warnings = new Set<string>();
  noteUnknown(order, ORDER_FIELDS, '', warnings);
  if (isWithoutPieces(order)) {
    warnings.add('products: no bundles[].items[].quantity was found: the summary counts 0 pieces');
  }
  return [...warnings];
}

function noteUnknown(object: JsonObject, fields: OrderFields, at: string, warnings: Set<string>): void {
  for (const name of Object.keys(object)) {
    if (warnings.size >= MAX_WARNINGS) return;
    const field = Object.hasOwn(fields, name) ? fields[name] : undefined;
    const path = at === '' ? name : `${at}.${name}`;
    if (field === undefined) warnings.add(unknownText(path, name, fields));
    else noteInside(object[name], field, path, warnings);
  }
}

function noteInside(value: unknown, field: OrderField, path: string, warnings: Set<string>): void {
  if (field.kind === 'object' && isJsonObject(value)) noteUnknown(value, field.fields, path, warnings);
  if (field.kind !== 'list' || !Array.isArray(value)) return;
  for (const entry of value.slice(0, MAX_ENTRIES)) {
    if (isJsonObject(entry)) noteUnknown(entry, field.fields, `${path}[]`, warnings);
  }
}

function unknownText(path: string, name: string, fields: OrderFields): string {
  const meant = nearestName(name, Object.keys(fields));
  const shown = path.length > MAX_NAME_LENGTH ? `${path.slice(0, MAX_NAME_LENGTH)}…` : path;
  return `${shown}: kept, not understood${meant === null ? '' : `; did you mean ${meant}?`}`;
}

/** Whether there are products, but none of their items has a quantity. */
function isWithoutPieces(order: JsonObject): boolean {
  const products = listOf(own(order, 'products'));
  const items = products.flatMap((product) =>
    listOf(own(product, 'bundles')).flatMap((bundle) => listOf(own(bundle, 'items'))),
  );
  return products.length > 0 && items.every((item) => own(item, 'quantity') === undefined);
}

function listOf(value: unknown): readonly JsonObject[] {
  return Array.isArray(value) ? value.filter(isJsonObject) : [];
}
