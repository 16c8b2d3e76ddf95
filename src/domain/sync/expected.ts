import { type JsonObject, jsonOrNull, parseJsonObject } from '../json/json-object.ts';
import { idText } from '../mirror/field-reader.ts';
import type { ProfileContent } from '../profile/profile.ts';
import { isSameContent } from './profile-match.ts';

/** The record that is sought in an answer of the central server, to settle a write whose answer was lost (D-30). */
export type Expected =
  /** A record that shows all of these. */
  | { readonly of: 'fields'; readonly fields: JsonObject }
  | { readonly of: 'profile'; readonly content: ProfileContent }
  /** A record that is gone, or that is marked as archived. */
  | { readonly of: 'archiving' }
  /** An order with this documentID or orderCode, anywhere in the summary of orders. */
  | { readonly of: 'order'; readonly id: string };

/** Whether it is in the text of an answer, or, for an order, in one part of it that is cut at line ends. */
export function isIn(text: string, expected: Expected): boolean {
  switch (expected.of) {
    case 'fields':
      return shows(parseJsonObject(text), expected.fields);
    case 'profile':
      return isSameContent(expected.content, parseJsonObject(text));
    case 'archiving':
      return parseJsonObject(text)?.archived === true;
    case 'order':
      return text.split('\n').some((line) => scalarsIn(line).includes(expected.id));
  }
}

/** Whether the expectation is met if there is no such record. */
export function isMetByAbsence(expected: Expected): boolean {
  return expected.of === 'archiving';
}

/**
 * Whether a record shows all expected fields. A server may leave out a task's userName (interface.md, Warehouse tasks).
 */
function shows(record: JsonObject | null, effect: JsonObject): boolean {
  if (record === null) return false;
  return Object.entries(effect).every(
    ([name, value]) =>
      (name === 'userName' && !(name in record)) || (record[name] ?? null) === value || idText(record[name]) === value,
  );
}

/**
 * The values in a line of YAML: the text behind `- ` and `name: `, without quotes. They are searched as text, because
 * rows of a foreign server have their own form.
 */
function scalarsIn(line: string): readonly string[] {
  const bare = line
    .replace(/^[\s-]*/, '')
    .replace(/^[\w]+:\s*/, '')
    .trim();
  const items = bare.startsWith('[') ? bare.slice(1, -1).split(',') : [bare];
  return items.map((item) => unquoted(item.trim()));
}

function unquoted(text: string): string {
  if (text.startsWith("'") && text.endsWith("'")) return text.slice(1, -1).replaceAll("''", "'");
  if (!text.startsWith('"')) return text;
  // A broken quotation is taken as it stands.
  const value = jsonOrNull(text);
  return typeof value === 'string' ? value : text;
}
