import { Readable } from 'node:stream';
import { Slice } from '../../../runtime/slice.ts';
import { LIMITS } from '../limits.ts';

const PIECE_BYTES = 65_536;

/** A JSON array, piece by piece. */
export function* jsonArray<T>(items: Iterable<T>, render: (item: T) => object): Iterable<string> {
  let separator = '[';
  for (const item of items) {
    yield separator + JSON.stringify(render(item));
    separator = ',';
  }
  yield separator === '[' ? '[]' : ']';
}

/** A field of an object: a value, or a list that is written entry by entry. */
export type JsonField = { readonly name: string } & ({ readonly value: unknown } | { readonly list: Iterable<object> });

/** A JSON object, field by field. */
export function* jsonObject(fields: Iterable<JsonField>): Iterable<string> {
  let separator = '{';
  for (const field of fields) {
    yield `${separator}${JSON.stringify(field.name)}:`;
    if ('list' in field) yield* jsonArray(field.list, (entry) => entry);
    else yield JSON.stringify(field.value);
    separator = ',';
  }
  yield separator === '{' ? '{}' : '}';
}

/**
 * A long text whose pieces are made while it is sent, a few milliseconds at a time, so that devices get their turns in
 * between.
 */
export function fragmentStream(fragments: Iterable<string>): Readable {
  return Readable.from(slices(fragments), { objectMode: false });
}

/** A long text of pages, each fetched when the one before it is sent. */
export function pageStream(pages: AsyncIterable<Iterable<string>>): Readable {
  return Readable.from(slicedPages(pages), { objectMode: false });
}

/**
 * A stream of bytes in memory. It gives only as many as the client reads, because bytes that wait on a socket count.
 */
export function byteStream(bytes: Uint8Array): Readable {
  return Readable.from(piecesOf(bytes), { objectMode: false });
}

function* piecesOf(bytes: Uint8Array): Generator<Uint8Array> {
  for (let from = 0; from < bytes.length; from += PIECE_BYTES) yield bytes.subarray(from, from + PIECE_BYTES);
}

async function* slicedPages(pages: AsyncIterable<Iterable<string>>): AsyncGenerator<string> {
  for await (const page of pages) yield* slices(page);
}

async function* slices(fragments: Iterable<string>): AsyncGenerator<string> {
  let text = '';
  const slice = new Slice(LIMITS.sliceMs);
  for (const fragment of fragments) {
    text += fragment;
    if (!slice.isOver) continue;
    yield text;
    text = '';
    await slice.next();
  }
  yield text;
}
