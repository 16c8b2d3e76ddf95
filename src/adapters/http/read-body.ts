import { isUtf8 } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import { CodedError, faultText } from '../../domain/error.ts';

/**
 * Reads a body of at most `maxBytes` as text and hands it to `done`, once. What is longer is refused with `too-large` as
 * soon as that is known, by its Content-Length or by what came: nothing more of it is kept (D-13). Where the sender goes
 * away `done` is not called: nobody waits for an answer.
 */
export function readBody(request: IncomingMessage, maxBytes: number, done: (body: string | CodedError) => void): void {
  readBytes(request, maxBytes, (body) => done(body === null || Buffer.isBuffer(body) ? textOf(body) : body));
}

/** The same as bytes; null where there are none. */
export function readBytes(
  request: IncomingMessage,
  maxBytes: number,
  done: (body: Buffer | null | CodedError) => void,
): void {
  const announced = Number(request.headers['content-length'] ?? 0);
  if (announced > maxBytes) {
    done(tooLarge(maxBytes, `${announced} bytes`));
    return;
  }
  let first: Buffer | null = null;
  let more: Buffer[] | null = null;
  let bytes = 0;
  let isDone = false;
  const finish = (body: Buffer | null | CodedError) => {
    if (isDone) return;
    isDone = true;
    done(body);
  };
  request.on('data', (chunk: Buffer) => {
    if (isDone) return;
    bytes += chunk.length;
    if (bytes > maxBytes) finish(tooLarge(maxBytes, 'more'));
    else if (first === null) first = chunk;
    else if (more === null) more = [first, chunk];
    else more.push(chunk);
  });
  request.on('end', () => finish(more === null ? first : Buffer.concat(more)));
}

const BYTE_ORDER_MARK = '\ufeff';

function textOf(bytes: Buffer | null): string | CodedError {
  if (bytes === null) return noJson('nothing', 'a JSON object');
  if (!isUtf8(bytes)) return noJson('bytes that are no UTF-8', 'JSON in UTF-8');
  const text = bytes.toString('utf8');
  if (!text.startsWith(BYTE_ORDER_MARK)) return text;
  return noJson('a byte order mark', 'JSON in UTF-8 without one');
}

/** The refusal of a body that cannot be read as JSON, whatever its JSON would be. */
export function noJson(found: string, expected: string): CodedError {
  const fault = { path: 'body', found, expected };
  return new CodedError('malformed', faultText(fault), [fault]);
}

function tooLarge(maxBytes: number, found: string): CodedError {
  return new CodedError('too-large', `body: found ${found}, expected at most ${maxBytes} bytes`);
}
