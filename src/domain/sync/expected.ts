import { asJsonObject, type JsonObject } from '../json/json-object.ts';
import { idText } from '../mirror/field-reader.ts';
import type { ProfileContent } from '../profile/profile.ts';
import { isSameContent } from './profile-match.ts';

/** The record that is sought in an answer of the central server, to settle a write whose answer was lost (D-30). */
export type Expected =
  /** A record that shows all of these. */
  | { readonly of: 'fields'; readonly fields: JsonObject }
  | { readonly of: 'profile'; readonly content: ProfileContent }
  /** A record that is gone, or says that it is. */
  | { readonly of: 'archiving' }
  /** An order of this documentID or orderCode, anywhere in the summary of orders. */
  | { readonly of: 'order'; readonly id: string };

/** Whether it is in the text of an answer, or in one of its parts, cut at the ends of lines, where it is an order. */
export function isIn(text: string, expected: Expected): boolean {
  switch (expected.of) {
    case 'fields':
      return shows(asJsonObject(parsed(text)), expected.fields);
    case 'profile':
      return isSameContent(expected.content, asJsonObject(parsed(text)));
    case 'archiving':
      return asJsonObject(parsed(text))?.archived === true;
    case 'order':
      return text.split('\n').some((line) => scalarsIn(line).includes(expected.id));
  }
}

/** Whether it is as sought where there is nothing of that name. */
export function isMetByAbsence(expected: Expected): boolean {
  return expected.of === 'archiving';
}

/** Whether a record shows all of it; whether it shows a task's userName at all is the server's affair (interface.md, Warehouse tasks). */
function shows(record: JsonObject | null, effect: JsonObject): boolean {
  if (record === null) return false;
  return Object.entries(effect).every(
    ([name, value]) =>
      (name === 'userName' && !(name in record)) || (record[name] ?? null) === value || idText(record[name]) === value,
  );
}

/**
 * The values in a line of YAML: what stands behind `- ` and `name: `, without quotes. They are looked for as text: rows
 * of a foreign server have a form of their own.
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
  const value = parsed(text);
  return typeof value === 'string' ? value : text;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
