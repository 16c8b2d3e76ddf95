import { type JsonObject, parseJsonObject } from '../json/json.ts';
import { idText } from '../mirror/field-reader.ts';
import type { ProfileContent } from '../profile/profile.ts';
import type { SoughtOrder } from './order-in-summary.ts';
import { isSameContent } from './profile-match.ts';

/** The record that is sought in an answer of the central server, to settle a write whose answer was lost (D-30). */
export type Expected =
  /** A record that shows all of these. */
  | { readonly of: 'fields'; readonly fields: JsonObject }
  /** A released task. Whether it was released is not known if another person than the operator before works on it. */
  | { readonly of: 'release'; readonly fields: JsonObject; readonly operatorBefore: string | null }
  | { readonly of: 'profile'; readonly content: ProfileContent }
  /** A record that is gone, or that is marked as archived. */
  | { readonly of: 'archiving' }
  /** An order, in a summary of orders. */
  | { readonly of: 'order'; readonly order: SoughtOrder };

/** Whether the record of an answer is the expected one; null if the record does not show this. */
export function isIn(text: string, expected: Exclude<Expected, { of: 'order' }>): boolean | null {
  switch (expected.of) {
    case 'fields':
      return shows(parseJsonObject(text), expected.fields);
    case 'release':
      return isReleased(parseJsonObject(text), expected);
    case 'profile':
      return isSameContent(expected.content, parseJsonObject(text));
    case 'archiving':
      return parseJsonObject(text)?.archived === true;
  }
}

/**
 * Whether the expectation is met if there is no such record; null if this is not known. A server without a summary of
 * orders may still have the order.
 */
export function isMetByAbsence(expected: Expected): boolean | null {
  return expected.of === 'order' ? null : expected.of === 'archiving';
}

/** The states of a task that nobody works on. */
const FREE: ReadonlySet<unknown> = new Set(['Pending', 'Ready']);

function isReleased(
  task: JsonObject | null,
  { fields, operatorBefore }: Extract<Expected, { of: 'release' }>,
): boolean | null {
  if (task === null || FREE.has(task.taskState)) return shows(task, fields);
  const { userName } = task;
  return typeof userName === 'string' && userName !== operatorBefore ? null : false;
}

/** Fields that a server may leave out of a task (interface.md, Warehouse tasks); then the others decide. */
const UNSHOWN: ReadonlySet<string> = new Set(['userName', 'overrideReason']);

/** Whether a record shows all expected fields. */
function shows(record: JsonObject | null, effect: JsonObject): boolean {
  if (record === null) return false;
  return Object.entries(effect).every(
    ([name, value]) =>
      (UNSHOWN.has(name) && !(name in record)) || (record[name] ?? null) === value || idText(record[name]) === value,
  );
}
