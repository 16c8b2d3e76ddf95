import { foundText } from '../error.ts';
import type { JsonObject } from '../json/json.ts';

/** The codes by which an order is named in paths and found again (D-20). */
const CODES = ['documentID', 'orderCode'] as const;

/** `notes` says what was changed, one sentence each. */
export interface TidyOrder {
  readonly order: JsonObject;
  readonly notes: readonly string[];
}

/**
 * Reads the codes of an order as they are meant, so that one order is not kept under two names (D-53): a code whose name
 * has another case, and a code with blanks outside.
 */
export function tidyOrder(order: JsonObject): TidyOrder {
  const notes: string[] = [];
  const names = new Map(CODES.flatMap((code) => misspelt(order, code).map((name) => [name, code] as const)));
  for (const [name, code] of names) notes.push(`${name}: read as ${code}`);
  const renamed = names.size === 0 ? order : withNames(order, names);
  const cut = CODES.filter((code) => isPadded(renamed[code]));
  for (const code of cut) notes.push(`${code}: blanks outside were cut from ${foundText(renamed[code])}`);
  const trimmed = Object.fromEntries(cut.map((code) => [code, String(renamed[code]).trim()]));
  return { order: cut.length === 0 ? renamed : { ...renamed, ...trimmed }, notes };
}

/** The key of an order whose code may have blanks outside, as earlier versions kept them. */
export function tidyOrderKey(orderKey: string): string {
  const codeAt = orderKey.indexOf(' ') + 1;
  return orderKey.slice(0, codeAt) + orderKey.slice(codeAt).trim();
}

/** The one field that has this name in another case, if none has the name itself. Of two, neither is taken. */
function misspelt(order: JsonObject, code: string): readonly string[] {
  if (Object.hasOwn(order, code) && order[code] !== null) return [];
  const sought = code.toLowerCase();
  const found = Object.keys(order).filter((name) => name !== code && name.toLowerCase() === sought);
  return found.length === 1 ? found : [];
}

/** A field that is replaced goes: it was null. */
function withNames(order: JsonObject, names: ReadonlyMap<string, string>): JsonObject {
  const replaced = new Set(names.values());
  const kept = Object.entries(order).filter(([name]) => !replaced.has(name));
  return Object.fromEntries(kept.map(([name, value]) => [names.get(name) ?? name, value]));
}

/** A code of blanks alone is refused as it came. */
function isPadded(code: unknown): boolean {
  return typeof code === 'string' && code.trim() !== '' && code.trim() !== code;
}
