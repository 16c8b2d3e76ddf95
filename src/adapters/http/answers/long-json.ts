import { Slice } from '../../../runtime/slice.ts';
import { LIMITS } from '../limits.ts';
import { type JsonField, jsonArray, jsonObject } from './send-fragments.ts';

/** A list of more entries is written entry by entry. */
const LONG_LIST = 50;

/**
 * The JSON in UTF-8 of an answer that is a long list, or has one as a field. It is made a few milliseconds at a time, so
 * that devices get their turns in between. Gives null for any other answer.
 */
export async function longJson(body: object): Promise<Buffer | null> {
  const pieces = piecesOf(body);
  if (pieces === null) return null;
  const slice = new Slice(LIMITS.sliceMs);
  const bytes: Buffer[] = [];
  let text = '';
  for (const piece of pieces) {
    text += piece;
    if (!slice.isOver) continue;
    bytes.push(Buffer.from(text));
    text = '';
    await slice.next();
  }
  return Buffer.concat([...bytes, Buffer.from(text)]);
}

function piecesOf(body: object): Iterable<string> | null {
  if (isLongList(body)) return jsonArray(body, (entry) => entry);
  return Object.values(body).some(isLongList) ? jsonObject(fieldsOf(body)) : null;
}

function isLongList(value: unknown): value is readonly object[] {
  return Array.isArray(value) && value.length > LONG_LIST;
}

function* fieldsOf(body: object): Iterable<JsonField> {
  for (const [name, value] of Object.entries(body)) {
    if (isLongList(value)) yield { name, list: value };
    else if (value !== undefined) yield { name, value };
  }
}
