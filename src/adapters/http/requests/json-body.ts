import type { IncomingMessage } from 'node:http';
import { foundText, invalidInput } from '../../../domain/error.ts';
import { jsonValuesExceed, parseStrictJson } from '../../../domain/json/json.ts';
import { HttpError } from '../answers/error-answer.ts';
import { LIMITS } from '../limits.ts';
import type { Body, RequestBodies } from './request-bodies.ts';

const BYTE_ORDER_MARK = '\ufeff';

export interface PackedBody {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly isGzip: boolean;
}

/**
 * Reads the text of a body like `parseStrictJson`: at most 64 levels (D-13), no key twice in one object. It takes at
 * most 20 ms, also for a hostile body: the time depends on the number of values, so more than `maxValues` are refused
 * as `invalid-input` before they are read.
 */
export function parseBody(text: string, maxValues: number = LIMITS.bodyValues): unknown {
  if (!jsonValuesExceed(text, maxValues)) return parseStrictJson(text);
  throw invalidInput([{ path: 'body', found: 'more', expected: `at most ${maxValues} values` }]);
}

/**
 * The JSON body of a request as text, of at most `maxBytes`, without a byte order mark (D-34). Rejects with `malformed`, `too-large`, or 415 for another
 * content type, which a form on another site could send, and for a body that is compressed.
 */
export async function readJsonText(bodies: RequestBodies, request: IncomingMessage, maxBytes: number): Promise<string> {
  requireUnpacked(request);
  requireJson(request);
  const { text } = await unlessAborted<{ readonly text: string }>(request, (done) =>
    bodies.readText(request, maxBytes, done),
  );
  return text.startsWith(BYTE_ORDER_MARK) ? text.slice(BYTE_ORDER_MARK.length) : text;
}

/** The JSON body of a request as unchanged bytes, which may be compressed with gzip. */
export async function readPackedJson(
  bodies: RequestBodies,
  request: IncomingMessage,
  maxBytes: number,
): Promise<PackedBody> {
  const encoding = encodingOf(request);
  if (encoding !== 'identity' && encoding !== 'gzip') {
    throw new HttpError(415, `Content-Encoding: found ${foundText(encoding)}, expected gzip or none`);
  }
  requireJson(request);
  const body = await readBytes(bodies, request, maxBytes);
  // A copy, because the body may be a part of a larger buffer, which would go to another thread as a whole.
  return { bytes: new Uint8Array(body), isGzip: encoding === 'gzip' };
}

/** The bytes of a body that is no JSON. */
export async function readPlainBytes(
  bodies: RequestBodies,
  request: IncomingMessage,
  maxBytes: number,
): Promise<Uint8Array> {
  requireUnpacked(request);
  requireType(request, /^application\/octet-stream\s*(;|$)/i, 'application/octet-stream');
  return readBytes(bodies, request, maxBytes);
}

async function readBytes(bodies: RequestBodies, request: IncomingMessage, maxBytes: number): Promise<Uint8Array> {
  const { bytes } = await unlessAborted<{ readonly bytes: Buffer | null }>(request, (done) =>
    bodies.readBytes(request, maxBytes, done),
  );
  return bytes ?? new Uint8Array();
}

function requireUnpacked(request: IncomingMessage): void {
  const encoding = encodingOf(request);
  if (encoding === 'identity') return;
  throw new HttpError(415, `Content-Encoding: found ${foundText(encoding)}, expected none`);
}

function encodingOf({ headers: { 'content-encoding': encoding = 'identity' } }: IncomingMessage): string {
  return encoding.toLowerCase();
}

function requireJson(request: IncomingMessage): void {
  requireType(request, /^application\/([\w.-]+\+)?json\s*(;|$)/i, 'application/json');
}

function requireType(
  { headers: { 'content-type': found = '' } }: IncomingMessage,
  pattern: RegExp,
  expected: string,
): void {
  if (!pattern.test(found)) throw new HttpError(415, `Content-Type: found ${foundText(found)}, expected ${expected}`);
}

/**
 * Whether the request has a body. A proxy may announce a body of unknown length and send none: only its end shows it.
 */
export function hasBody(request: IncomingMessage): Promise<boolean> {
  const { 'transfer-encoding': coding, 'content-length': length = '0' } = request.headers;
  if (coding === undefined) return Promise.resolve(Number(length) > 0);
  if (request.destroyed) return Promise.reject(aborted());
  return new Promise((resolve, reject) => {
    request.once('readable', () => resolve(request.readableLength > 0 || !request.complete));
    request.once('end', () => resolve(false));
    request.once('close', () => reject(aborted()));
  });
}

/** Rejects if the sender goes away before the body is read, or went away before: then `close` comes no more. */
function unlessAborted<T extends object>(
  request: IncomingMessage,
  read: (done: (body: Body<T>) => void) => void,
): Promise<T> {
  if (request.destroyed) return Promise.reject(aborted());
  return new Promise((resolve, reject) => {
    read((body) => (body.ok ? resolve(body) : reject(body.error)));
    request.once('close', () => reject(aborted()));
  });
}

function aborted(): HttpError {
  return new HttpError(400, 'body: the connection ended before it was whole');
}
