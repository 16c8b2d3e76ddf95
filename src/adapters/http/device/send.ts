import type { IncomingMessage, ServerResponse } from 'node:http';
import { endInBody } from '../../../runtime/tune-engine.ts';
import { LIMITS } from '../limits.ts';
import { whenChunksAreTiny } from '../requests/request-bodies.ts';

const JSON_TYPE = 'application/json; charset=utf-8';

/** Answers with JSON text, or with no body at all. */
export function send(response: ServerResponse, status: number, body: string, headers: readonly string[]): void {
  const length = Buffer.byteLength(body);
  const described =
    length === 0
      ? ['Content-Length', '0', ...headers]
      : ['Content-Type', JSON_TYPE, 'Content-Length', String(length), ...headers];
  response.writeHead(status, described);
  response.end(body);
}

/** Answers a request without reading its body, then closes its connection. */
export function answerUnread(
  request: IncomingMessage,
  response: ServerResponse,
  status: number,
  body: string,
  headers: readonly string[],
): void {
  if (request.complete) {
    send(response, status, body, headers);
    return;
  }
  const length = String(Buffer.byteLength(body));
  response.writeHead(status, ['Content-Type', JSON_TYPE, 'Content-Length', length, 'Connection', 'close', ...headers]);
  response.write(body);
  endUnread(request, response);
}

/**
 * Ends the answer to a request that is not complete. Bytes that still come are discarded for a moment, because an
 * immediate close would reset the connection before the sender has read the answer.
 */
export function endUnread(request: IncomingMessage, response: ServerResponse): void {
  let discarded = 0;
  const timer = setTimeout(() => response.end(), LIMITS.lingerMs);
  const end = () => {
    clearTimeout(timer);
    response.end();
  };
  request.on('data', (chunk: Buffer) => {
    discarded += chunk.length;
    if (discarded > LIMITS.lingerBytes) end();
  });
  whenChunksAreTiny(request, () => endInBody(request));
  request.on('end', end);
  request.on('close', end);
  request.resume();
}
