import { isUtf8 } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import { CodedError, faultText, foundText, invalidInput, tooMany } from '../../../domain/error.ts';
import { jsonValuesExceed, parseStrictJson } from '../../../domain/json/json.ts';
import type { Result } from '../../../domain/result.ts';
import { uploadMs } from '../../../domain/sync/slowest-uplink.ts';
import type { Incidents } from '../../../flows/ports.ts';
import { GatheredBytes } from '../../../runtime/gathered-bytes.ts';
import { endInBody } from '../../../runtime/tune-engine.ts';
import { HttpError } from '../answers/error-answer.ts';
import { LIMITS } from '../limits.ts';
import { addressOf } from './client.ts';

export type Body<T extends object> = Result<T, { readonly error: CodedError }>;
type BodyBytes = Body<{ readonly bytes: Buffer | null }>;
type BodyText = Body<{ readonly text: string }>;

/**
 * Reads request bodies, and bounds the memory of bodies that are not complete yet, over all connections. At the bound
 * the connection whose body has not grown for the longest time is closed, so a sender that goes on sending is safe.
 */
export class RequestBodies {
  readonly #incidents: Incidents;
  /** Bytes of memory of each counted body. The body that grew last stands last. */
  readonly #unfinished = new Map<IncomingMessage, number>();
  #unfinishedBytes = 0;
  /** The time that a body gets, if it is more than others get. */
  readonly #longerMs = new WeakMap<IncomingMessage, number>();

  constructor(incidents: Incidents) {
    this.#incidents = incidents;
  }

  /**
   * Reads a body of at most `maxBytes` as text and calls `done` once. A longer body is refused with `too-large` as soon
   * as its length is known, and no more of it is kept (D-13). `done` is not called if the sender goes away.
   */
  readText(request: IncomingMessage, maxBytes: number, done: (body: BodyText) => void): void {
    this.readBytes(request, maxBytes, (body) => done(body.ok ? textOf(body.bytes) : body));
  }

  /** Reads a body as bytes; null for an empty one. */
  readBytes(request: IncomingMessage, maxBytes: number, done: (body: BodyBytes) => void): void {
    const announced = Number(request.headers['content-length'] ?? 0);
    if (announced > maxBytes) {
      done(tooLarge(maxBytes, `${announced} bytes`));
      return;
    }
    const gathered = new GatheredBytes(maxBytes);
    let isDone = false;
    const finish = (body: BodyBytes) => {
      if (isDone) return;
      isDone = true;
      this.#release(request);
      done(body);
    };
    whenChunksAreTiny(request, () => {
      isDone = true;
      this.#cutOff(request, TINY_CHUNKS);
    });
    request.on('data', (chunk: Buffer<ArrayBuffer>) => {
      if (isDone) return;
      if (gathered.length + chunk.length > maxBytes) {
        finish(tooLarge(maxBytes, 'more'));
        return;
      }
      gathered.append(chunk);
      if (gathered.capacity > LIMITS.unfinishedBodyAllowance) this.#hold(request, gathered.capacity);
    });
    request.on('end', () => finish({ ok: true, bytes: gathered.bytes() }));
  }

  /** A body of that length may come over the slowest line. To be called for known senders alone. */
  allowSlowLine(request: IncomingMessage, bytes: number): void {
    this.#longerMs.set(request, LIMITS.requestTimeoutMs + uploadMs(bytes));
  }

  /** The time within which a request has to be complete. */
  timeLimitMs(request: IncomingMessage): number {
    return this.#longerMs.get(request) ?? LIMITS.requestTimeoutMs;
  }

  #hold(request: IncomingMessage, bytes: number): void {
    const before = this.#unfinished.get(request);
    if (before === undefined) request.once('close', () => this.#release(request));
    this.#unfinished.delete(request);
    this.#unfinished.set(request, bytes);
    this.#unfinishedBytes += bytes - (before ?? 0);
    for (const [longestIdle] of this.#unfinished) {
      if (this.#unfinishedBytes <= LIMITS.unfinishedBodyBytes) return;
      this.#cutOff(longestIdle, UNFINISHED);
    }
  }

  #release(request: IncomingMessage): void {
    this.#unfinishedBytes -= this.#unfinished.get(request) ?? 0;
    this.#unfinished.delete(request);
  }

  #cutOff(request: IncomingMessage, reason: string): void {
    this.#incidents.report({
      kind: 'limitReached',
      subject: `http ${addressOf(request)}`,
      detail: `closed: ${reason}`,
    });
    this.#release(request);
    endInBody(request);
  }
}

const UNFINISHED = `its body was not complete while unfinished bodies took ${LIMITS.unfinishedBodyBytes} bytes`;
const TINY_CHUNKS = `its body came in tiny chunks: expected ${LIMITS.averageChunkBytes} bytes or more in each, or a Content-Length`;

const BYTE_ORDER_MARKS_OF_UTF_16 = ['fffe', 'feff'];

const GZIP = '1f8b';
const OPENING_BRACE = 0x7b;
/** A letter in UTF-8 has at most this many bytes. */
const LONGEST_LETTER = 4;

/** A body as text, or the refusal of one that is empty or not UTF-8. */
export function textOf(bytes: Buffer | null): BodyText {
  if (bytes === null) return { ok: false, error: noJson('nothing', 'a JSON object') };
  if (isUtf8(bytes)) return { ok: true, text: bytes.toString('utf8') };
  return { ok: false, error: noJson(nonUtf8(bytes), 'JSON in UTF-8') };
}

/** The refusal of an empty body: a sender that announces none has often forgotten its length. */
export function withoutBody({ headers }: IncomingMessage): CodedError {
  const isAnnounced = headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined;
  return noJson(isAnnounced ? 'nothing' : 'nothing, because the request has no Content-Length', 'a JSON object');
}

function nonUtf8(bytes: Buffer): string {
  const start = bytes.toString('hex', 0, 2);
  if (start === GZIP) return 'bytes that are compressed with gzip';
  if (BYTE_ORDER_MARKS_OF_UTF_16.includes(start)) return 'UTF-16';
  if (bytes[0] !== OPENING_BRACE && (bytes[2] === OPENING_BRACE || bytes[4] === OPENING_BRACE)) {
    return 'bytes in front of {, perhaps the header of an S7 STRING';
  }
  return endsWithinLetter(bytes)
    ? 'a text that is cut off within a letter: its Content-Length or a buffer is too short'
    : 'bytes that are not UTF-8';
}

/** Whether the last letter lacks bytes: its first byte says how many it has. */
function endsWithinLetter(bytes: Buffer): boolean {
  for (let length = 1; length < LONGEST_LETTER; length++) {
    const first = bytes[bytes.length - length] ?? 0;
    if (first >= 0x80 && first < 0xc0) continue;
    const expected = first >= 0xf0 && first < 0xf8 ? 4 : first >= 0xe0 ? 3 : 2;
    return first >= 0xc0 && first < 0xf8 && expected > length && isUtf8(bytes.subarray(0, bytes.length - length));
  }
  return false;
}

/** The refusal of a body that cannot be read as JSON. */
export function noJson(found: string, expected: string): CodedError {
  const fault = { path: 'body', found, expected };
  return new CodedError('malformed', faultText(fault), [fault]);
}

function tooLarge(maxBytes: number, found: string): BodyBytes {
  const message = `body: found ${found}, expected at most ${maxBytes} bytes`;
  return { ok: false, error: new CodedError('too-large', message) };
}

/** The approximate memory of a request until it is answered. */
export function heldBytes({ rawHeaders, url = '' }: IncomingMessage): number {
  return rawHeaders.reduce((sum, text) => sum + text.length, LIMITS.requestBytes + url.length);
}

/**
 * Calls `cutOff` once if a body comes in so many tiny chunks that reading it would delay machines: each chunk costs
 * microseconds, and one read of the socket may hold ten thousand of them.
 */
export function whenChunksAreTiny(request: IncomingMessage, cutOff: () => void): void {
  if (request.headers['transfer-encoding'] === undefined) return;
  let chunks = 0;
  let bytes = 0;
  let isCutOff = false;
  request.on('data', (chunk: Buffer) => {
    if (isCutOff) return;
    chunks += 1;
    bytes += chunk.length;
    if (bytes >= (chunks - LIMITS.tinyChunks) * LIMITS.averageChunkBytes) return;
    isCutOff = true;
    cutOff();
  });
}

/** The memory that all bodies under work may take together. */
export class ByteBudget {
  readonly #maxBytes: number;
  #taken = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** Takes bytes, and gives a function that returns them. Throws `rate-limited` if too much is taken. */
  take(bytes: number): () => void {
    if (this.#taken + bytes > this.#maxBytes) throw tooMany('bytes of large requests', this.#maxBytes);
    this.#taken += bytes;
    return () => {
      this.#taken -= bytes;
    };
  }
}

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
    let isRead = false;
    read((body) => {
      isRead = true;
      if (body.ok) resolve(body);
      else reject(body.error);
    });
    request.once('close', () => {
      if (!isRead) reject(aborted());
    });
  });
}

function aborted(): HttpError {
  return new HttpError(400, 'body: the connection ended before it was whole');
}
