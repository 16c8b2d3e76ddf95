import { errorMessage } from '../../../../domain/error-text.ts';
import {
  BACKSLASH,
  CLOSE_BRACE,
  CLOSE_BRACKET,
  COLON,
  COMMA,
  MAX_JSON_DEPTH,
  OPEN_BRACE,
  OPEN_BRACKET,
  QUOTE,
} from '../../../../domain/json/json.ts';

/** The bytes between two places of a text. */
export interface ByteRange {
  readonly from: number;
  readonly to: number;
}

/** The members of a JSON object in bytes, and the elements of those that are lists, in runs short enough to be parsed in one go. */
export interface JsonOutline {
  readonly members: ReadonlyMap<string, ByteRange>;
  readonly lists: ReadonlyMap<string, readonly ByteRange[]>;
}

/** The size of one chunk of array elements, in bytes. */
const RUN_BYTES = 32 * 1024;

/** The bytes are no JSON object, as far as that is looked at here. */
export class NoOutline extends Error {}

/**
 * Finds where the members of a JSON object lie without parsing them, a run of elements a step, so that megabytes are
 * read while other work gets its turn. The given ranges still have to be parsed. Throws NoOutline.
 */
export function* outlineOf(bytes: Uint8Array): Generator<void, JsonOutline> {
  const members = new Map<string, ByteRange>();
  const lists = new Map<string, readonly ByteRange[]>();
  let index = expect(bytes, 0, OPEN_BRACE);
  for (let isFirst = true; ; isFirst = false) {
    index = blanksEnd(bytes, index);
    if (isFirst && bytes[index] === CLOSE_BRACE) break;
    const nameEnd = stringEnd(bytes, index);
    const name = String(parse(textIn(bytes, { from: index, to: nameEnd })));
    if (members.has(name) || lists.has(name)) throw new NoOutline(`found ${name} twice, expected each key once`);
    index = blanksEnd(bytes, expect(bytes, nameEnd, COLON));
    if (bytes[index] === OPEN_BRACKET) {
      const list = yield* runsOf(bytes, index);
      lists.set(name, list.runs);
      index = list.end;
    } else {
      const end = valueEnd(bytes, index);
      members.set(name, { from: index, to: end });
      index = end;
    }
    index = blanksEnd(bytes, index);
    if (bytes[index] === CLOSE_BRACE) break;
    index = expect(bytes, index, COMMA);
  }
  if (blanksEnd(bytes, index + 1) !== bytes.length) throw new NoOutline('found more behind the object');
  return { members, lists };
}

/** The text in the range. */
export function textIn(bytes: Uint8Array, { from, to }: ByteRange): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset + from, to - from).toString('utf8');
}

/** An escaped backslash, a character beyond 16 bits as two escapes, or half of one. */
const HALVES = /\\\\|\\u[dD][89abAB][\da-fA-F]{2}\\u[dD][c-fC-F][\da-fA-F]{2}|\\u[dD][89a-fA-F][\da-fA-F]{2}/g;
const HALF_LENGTH = 6;

/**
 * Parses a text of JSON. Half of a character becomes the replacement character, as in UTF-8, so that no two ids are equal
 * only once they are stored. Throws NoOutline.
 */
export function parse(text: string): unknown {
  const whole = text.replaceAll(HALVES, (found) => (found.length === HALF_LENGTH ? '\\ufffd' : found));
  try {
    return JSON.parse(whole);
  } catch (error) {
    throw new NoOutline(errorMessage(error));
  }
}

function* runsOf(
  bytes: Uint8Array,
  start: number,
): Generator<void, { readonly runs: readonly ByteRange[]; readonly end: number }> {
  const runs: ByteRange[] = [];
  let from = blanksEnd(bytes, start + 1);
  if (bytes[from] === CLOSE_BRACKET) return { runs, end: from + 1 };
  let index = from;
  for (;;) {
    const to = valueEnd(bytes, index);
    index = blanksEnd(bytes, to);
    const isLast = bytes[index] === CLOSE_BRACKET;
    if (isLast || to - from >= RUN_BYTES) {
      runs.push({ from, to });
      yield;
    }
    if (isLast) return { runs, end: index + 1 };
    index = blanksEnd(bytes, expect(bytes, index, COMMA));
    if (runs.at(-1)?.to === to) from = index;
  }
}

/** The index behind the value that begins at `index`. */
function valueEnd(bytes: Uint8Array, index: number): number {
  const first = bytes[index];
  if (first === QUOTE) return stringEnd(bytes, index);
  if (first === OPEN_BRACE || first === OPEN_BRACKET) return nestedEnd(bytes, index);
  let end = index;
  while (end < bytes.length && !isScalarEnd(bytes[end])) end += 1;
  if (end === index) throw new NoOutline(`found no value at byte ${index}`);
  return end;
}

function nestedEnd(bytes: Uint8Array, start: number): number {
  let depth = 0;
  for (let index = start; index < bytes.length; index += 1) {
    const code = bytes[index];
    if (code === QUOTE) {
      index = stringEnd(bytes, index) - 1;
    } else if (code === OPEN_BRACE || code === OPEN_BRACKET) {
      depth += 1;
      if (depth > MAX_JSON_DEPTH)
        throw new NoOutline(`found deeper nesting, expected at most ${MAX_JSON_DEPTH} levels`);
    } else if (code === CLOSE_BRACE || code === CLOSE_BRACKET) {
      depth -= 1;
      if (depth === 0) return index + 1;
    }
  }
  throw new NoOutline('found its end too early');
}

function stringEnd(bytes: Uint8Array, start: number): number {
  expect(bytes, start, QUOTE);
  for (let index = start + 1; index < bytes.length; index += 1) {
    const code = bytes[index];
    if (code === QUOTE) return index + 1;
    if (code === BACKSLASH) index += 1;
  }
  throw new NoOutline('found its end within a string');
}

function expect(bytes: Uint8Array, start: number, code: number): number {
  const index = blanksEnd(bytes, start);
  if (bytes[index] === code) return index + 1;
  throw new NoOutline(`found another character at byte ${index}, expected ${String.fromCharCode(code)}`);
}

function blanksEnd(bytes: Uint8Array, start: number): number {
  let index = start;
  while (isBlank(bytes[index])) index += 1;
  return index;
}

function isScalarEnd(code: number | undefined): boolean {
  return code === COMMA || code === CLOSE_BRACE || code === CLOSE_BRACKET || isBlank(code);
}

function isBlank(code: number | undefined): boolean {
  return code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09;
}
