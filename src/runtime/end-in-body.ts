import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';

/** Internals of node:http: a connection's parser, and the place of the function that it calls with each chunk. */
interface BodyParser {
  readonly constructor: { readonly kOnBody?: number };
  [place: number]: unknown;
}

/**
 * Ends the connection of a request, and ignores the chunks of its body that were received with this one. Otherwise the
 * parser hands over all chunks of the same read, up to 11,000 of one byte, each for 2 µs, although the connection has
 * ended. To be called in a `data` event; `end` may still come, with a shortened body. If node:http is not built as
 * expected, the connection only ends. Tried with Node 24.
 */
export function endInBody({ socket }: IncomingMessage): void {
  const { parser } = socket as Socket & { readonly parser?: BodyParser | null };
  socket.destroy();
  const place = parser?.constructor.kOnBody;
  if (!parser || place === undefined) return;
  const onBody = parser[place];
  if (typeof onBody !== 'function') return;
  parser[place] = null;
  // Before the connection closes: then its parser may serve another one.
  setImmediate(() => {
    parser[place] = onBody;
  });
}
