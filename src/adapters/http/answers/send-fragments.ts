import { Readable } from 'node:stream';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { LIMITS } from '../limits.ts';

/** A JSON array, piece by piece. */
export function* jsonArray<T>(items: Iterable<T>, render: (item: T) => object): Iterable<string> {
  let separator = '[';
  for (const item of items) {
    yield separator + JSON.stringify(render(item));
    separator = ',';
  }
  yield separator === '[' ? '[]' : ']';
}

/**
 * A long text whose pieces are made while it is sent, a few milliseconds at a time, so that devices get their turns in
 * between.
 */
export function fragmentStream(fragments: Iterable<string>): Readable {
  return Readable.from(slices(fragments), { objectMode: false });
}

/** The same for pages, each fetched when the one before it is sent. */
export function pageStream(pages: AsyncIterable<Iterable<string>>): Readable {
  return Readable.from(slicedPages(pages), { objectMode: false });
}

async function* slicedPages(pages: AsyncIterable<Iterable<string>>): AsyncGenerator<string> {
  for await (const page of pages) yield* slices(page);
}

async function* slices(fragments: Iterable<string>): AsyncGenerator<string> {
  let text = '';
  let sinceMs = performance.now();
  for (const fragment of fragments) {
    text += fragment;
    if (performance.now() - sinceMs < LIMITS.sliceMs) continue;
    yield text;
    text = '';
    await nextTurn();
    sinceMs = performance.now();
  }
  yield text;
}
