import { Slice } from '../../../runtime/slice.ts';
import { LIMITS } from '../limits.ts';

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

/** Null for a value without a long list that is its own, a field of it, or a field of one of its entries. */
function piecesOf(value: unknown): Iterable<string> | null {
  if (Array.isArray(value)) return value.length > LONG_LIST || value.some(hasLongList) ? listPieces(value) : null;
  return hasLongList(value) ? fieldPieces(value) : null;
}

function hasLongList(value: unknown): value is object {
  return typeof value === 'object' && value !== null && Object.values(value).some(isLongList);
}

function isLongList(value: unknown): value is readonly unknown[] {
  return Array.isArray(value) && value.length > LONG_LIST;
}

function* listPieces(list: readonly unknown[]): Iterable<string> {
  let separator = '[';
  for (const entry of list) {
    yield separator;
    yield* piecesOf(entry) ?? [JSON.stringify(entry) ?? 'null'];
    separator = ',';
  }
  yield ']';
}

function* fieldPieces(body: object): Iterable<string> {
  let separator = '{';
  for (const [name, value] of Object.entries(body)) {
    if (value === undefined) continue;
    yield `${separator}${JSON.stringify(name)}:`;
    if (isLongList(value)) yield* listPieces(value);
    else yield JSON.stringify(value);
    separator = ',';
  }
  yield '}';
}
