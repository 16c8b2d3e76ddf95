import { CodedError, type Fault, foundText } from '../error.ts';
import { isJsonObject, type JsonObject, parseStrictJson } from '../json/json.ts';
import type { Result } from '../result.ts';
import { ORDER_FIELDS, type OrderField, type OrderFields, type OrderFieldType } from './order-fields.ts';
import { tidyOrder } from './tidy-order.ts';

/** Faults reported at once. */
const MAX_FAULTS = 100;
/** A code names an order in a path and in summaries. */
export const MAX_CODE_LENGTH = 200;
/** Some texts stand in every row of a summary, so a long one would be there a thousand times. */
export const MAX_ORDER_TEXT_LENGTH = 2_000;
/** Larger numbers are refused, because sums of their products would not be exact. */
export const MAX_NUMBER = 1_000_000_000_000;

const CONTROL_CHARACTERS = /\p{Cc}/u;

export type CheckedOrder = JsonObject;

type Path = string;

const EXPECTED: Readonly<Record<OrderFieldType, string>> = {
  text: `a string of at most ${MAX_ORDER_TEXT_LENGTH} characters`,
  number: `a number from ${-MAX_NUMBER} to ${MAX_NUMBER}`,
  flag: 'true or false',
  time: 'a date, or a date with a time, as ISO 8601, from the year 1 on',
};

/** `json` is the text to keep, and `notes` says what differs from the one that came (D-53). */
export type OrderCheck = Result<{
  readonly order: CheckedOrder;
  readonly json: string;
  readonly notes: readonly string[];
}>;

/**
 * Reads the text of an Order (interface.md, Orders; D-20): documentID or orderCode, products a list, known fields of their
 * types; null counts as missing, and unknown fields are allowed.
 */
export function checkOrder(text: string): OrderCheck {
  try {
    const body = parseStrictJson(text);
    if (!isJsonObject(body)) return { ok: false, faults: [fault('body', body, 'an order as a JSON object')] };
    const { order, notes } = tidyOrder(body);
    const faults = [...meaningFaults(order), ...fieldFaults(order, ORDER_FIELDS, '')].slice(0, MAX_FAULTS);
    if (faults.length > 0) return { ok: false, faults };
    return { ok: true, order, json: notes.length === 0 ? text : JSON.stringify(order), notes };
  } catch (error) {
    if (!(error instanceof CodedError)) throw error;
    const unreadable = { path: 'body', found: 'no JSON', expected: 'JSON', sentence: error.message };
    return { ok: false, faults: error.faults.length > 0 ? error.faults : [unreadable] };
  }
}

/** An own property of an object; null counts as missing. */
export function own(object: CheckedOrder, name: string): unknown {
  return Object.hasOwn(object, name) ? (object[name] ?? undefined) : undefined;
}

function meaningFaults(order: CheckedOrder): readonly Fault[] {
  const faults: Fault[] = [];
  const action = own(order, 'action');
  if (action !== undefined && action !== 'Put') faults.push(fault('action', action, 'Put'));
  if (!Array.isArray(own(order, 'products'))) faults.push(fault('products', own(order, 'products'), 'a list'));
  const [documentId, orderCode] = [own(order, 'documentID'), own(order, 'orderCode')];
  if (documentId === undefined && orderCode === undefined) {
    faults.push(fault('documentID', undefined, 'documentID or orderCode'));
  }
  for (const [name, code] of [
    ['documentID', documentId],
    ['orderCode', orderCode],
  ] as const) {
    if (typeof code !== 'string') continue;
    if (code.trim() === '') faults.push(fault(name, code, 'a code that is not empty'));
    // A path cannot contain them, so the order could never be removed.
    if (CONTROL_CHARACTERS.test(code)) faults.push(fault(name, code, 'a code without control characters'));
    if (code.length > MAX_CODE_LENGTH) faults.push(fault(name, code, `at most ${MAX_CODE_LENGTH} characters`));
  }
  return faults;
}

function fieldFaults(object: CheckedOrder, fields: OrderFields, at: Path): Fault[] {
  const faults: Fault[] = [];
  for (const [name, field] of Object.entries(fields)) {
    const value = own(object, name);
    if (value === undefined || (at === '' && name === 'products' && !Array.isArray(value))) continue;
    faults.push(...valueFaults(value, field, at === '' ? name : `${at}.${name}`));
    if (faults.length >= MAX_FAULTS) break;
  }
  return faults;
}

function valueFaults(value: unknown, field: OrderField, path: Path): readonly Fault[] {
  switch (field.kind) {
    case 'object':
      return isJsonObject(value) ? fieldFaults(value, field.fields, path) : [fault(path, value, 'an object')];
    case 'list':
      return listFaults(value, field, path);
    default:
      return isPlain(value, field.kind) ? [] : [fault(path, value, EXPECTED[field.kind])];
  }
}

function listFaults(value: unknown, { fields, maxItems }: Extract<OrderField, { kind: 'list' }>, path: Path) {
  if (!Array.isArray(value)) return [fault(path, value, 'a list')];
  if (value.length > maxItems) {
    return [{ path, found: `${value.length} entries`, expected: `at most ${maxItems}` }];
  }
  const faults: Fault[] = [];
  for (const [index, entry] of value.entries()) {
    const at = `${path}[${index}]`;
    faults.push(...(isJsonObject(entry) ? fieldFaults(entry, fields, at) : [fault(at, entry, 'an object')]));
    if (faults.length >= MAX_FAULTS) break;
  }
  return faults;
}

function isPlain(value: unknown, type: OrderFieldType): boolean {
  if (type === 'text') return typeof value === 'string' && value.length <= MAX_ORDER_TEXT_LENGTH;
  if (type === 'number') return typeof value === 'number' && Math.abs(value) <= MAX_NUMBER;
  if (type === 'flag') return typeof value === 'boolean';
  return typeof value === 'string' && isDateTime(value);
}

const DATE_TIME = /^(\d{4})-(\d{2})-(\d{2})(T\d{2}:\d{2}(:\d{2}(\.\d{1,9})?)?(Z|[+-]\d{2}:\d{2})?)?$/;

/** A day of the calendar, with or without a time and a zone, because the interface leaves the form open. */
function isDateTime(text: string): boolean {
  const [, year, month, day] = DATE_TIME.exec(text) ?? [];
  if (year === undefined || year === '0000' || Number.isNaN(Date.parse(text))) return false;
  const date = new Date(Date.UTC(Number(year), Number(month) - 1, Number(day)));
  return date.getUTCMonth() + 1 === Number(month) && date.getUTCDate() === Number(day);
}

function fault(path: Path, value: unknown, expected: string): Fault {
  return { path, found: foundText(value), expected };
}
