import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import { type Dispatcher, Pool } from 'undici';
import { errorCode } from '../../domain/error-code.ts';
import { errorMessage } from '../../domain/error-text.ts';
import { basePathOf } from '../../domain/sync/server-address.ts';
import { uploadMs } from '../../domain/sync/slowest-uplink.ts';
import type { CentralAnswer } from '../../flows/forward/upstream-ports.ts';
import { GatheredBytes } from '../../runtime/gathered-bytes.ts';
import { LIMITS } from './limits.ts';

export interface HttpPoolOptions {
  /** The address below which the paths of requests stand. */
  readonly url: string;
  /**
   * The time limit of a whole exchange, from the request for a connection to the last byte of the answer. A long body
   * gets more time (slowest-uplink.ts).
   */
  readonly timeoutMs: number;
  readonly connections: number;
}

export interface HttpRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Uint8Array | null;
  readonly maxAnswerBytes?: number;
}

/** Connections to another server. Redirects are not followed, nothing is sent twice. */
export class HttpPool {
  readonly #pool: Pool;
  readonly #basePath: string;
  readonly #timeoutMs: number;

  constructor({ url, timeoutMs, connections }: HttpPoolOptions) {
    const address = new URL(url);
    this.#basePath = basePathOf(address);
    this.#timeoutMs = timeoutMs;
    this.#pool = new Pool(address.origin, {
      connections,
      pipelining: 1,
      keepAliveTimeout: LIMITS.keepAliveMs,
      keepAliveMaxTimeout: LIMITS.keepAliveMs,
      connect: { timeout: timeoutMs },
      // The exchange has its own deadline for the whole request.
      headersTimeout: 0,
      bodyTimeout: 0,
    });
  }

  async ask({ path, maxAnswerBytes = LIMITS.answerBytes, ...request }: HttpRequest): Promise<CentralAnswer> {
    const exchange = new Exchange(this.#timeoutMs + uploadMs(Buffer.byteLength(request.body ?? '')), maxAnswerBytes);
    this.#pool.dispatch({ ...request, path: `${this.#basePath}${path}`, idempotent: false }, exchange);
    return unpacked(await exchange.answer, maxAnswerBytes);
  }

  /** Ends all requests under way. */
  close(): Promise<void> {
    return this.#pool.destroy();
  }
}

const unpack = promisify(gunzip);

/** A compressed answer as it was before. One that cannot be unpacked, or is too long then, was not received as a whole. */
async function unpacked(answer: CentralAnswer, maxAnswerBytes: number): Promise<CentralAnswer> {
  if (answer.kind !== 'answered' || answer.headers['content-encoding'] !== 'gzip') return answer;
  if (answer.extent !== 'whole' || answer.bytes.length === 0) return answer;
  try {
    return { ...answer, bytes: await unpack(answer.bytes, { maxOutputLength: maxAnswerBytes }) };
  } catch (error) {
    const isTooLong = errorCode(error) === 'ERR_BUFFER_TOO_LARGE';
    return { ...answer, bytes: Buffer.alloc(0), extent: isTooLong ? 'tooLong' : 'cutOff' };
  }
}

/** An id as a part of a path. */
export function pathPart(id: string): string {
  return encodeURIComponent(id.toWellFormed());
}

type Answered = Extract<CentralAnswer, { kind: 'answered' }>;
type Headers = Answered['headers'];
type Extent = Answered['extent'];

/**
 * One request under way, which ends at its deadline at the latest. undici calls `onRequestStart` before the first byte
 * goes to an open connection: a request that ends before was never sent, and after it the request is never sent again.
 * A connection that fell silent ends with its request, and the next request gets a new one.
 */
class Exchange implements Dispatcher.DispatchHandler {
  readonly answer: Promise<CentralAnswer>;
  readonly #resolve: (answer: CentralAnswer) => void;
  readonly #maxAnswerBytes: number;
  readonly #deadline: NodeJS.Timeout;
  readonly #gathered: GatheredBytes;
  #controller: Dispatcher.DispatchController | null = null;
  #isOver = false;
  #status: number | null = null;
  #headers: Headers = {};

  constructor(timeoutMs: number, maxAnswerBytes: number) {
    const { promise, resolve } = Promise.withResolvers<CentralAnswer>();
    this.answer = promise;
    this.#resolve = resolve;
    this.#maxAnswerBytes = maxAnswerBytes;
    this.#gathered = new GatheredBytes(maxAnswerBytes);
    this.#deadline = setTimeout(() => this.#giveUp(`no answer within ${timeoutMs} ms`, 'cutOff'), timeoutMs);
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    if (this.#isOver || this.#controller !== null) {
      controller.abort(new Error('not sent a second time, nor after its deadline'));
      return;
    }
    this.#controller = controller;
  }

  onResponseStart(_: Dispatcher.DispatchController, status: number, headers: Headers): void {
    // Codes below 200 come before the answer.
    if (status < 200) return;
    this.#status = status;
    this.#headers = headers;
  }

  onResponseData(_: Dispatcher.DispatchController, chunk: Buffer<ArrayBuffer>): void {
    const isTooLong = this.#gathered.length + chunk.length > this.#maxAnswerBytes;
    if (isTooLong) this.#giveUp(`more than ${this.#maxAnswerBytes} bytes`, 'tooLong');
    else if (!this.#isOver) this.#gathered.append(chunk);
  }

  onResponseEnd(): void {
    this.#end('an answer without a status', 'whole');
  }

  onResponseError(_: Dispatcher.DispatchController, error: Error): void {
    this.#end(textOf(error), 'cutOff');
  }

  #giveUp(detail: string, extent: Extent): void {
    this.#end(detail, extent);
    this.#controller?.abort(new Error(detail));
  }

  #end(detail: string, extent: Extent): void {
    if (this.#isOver) return;
    this.#isOver = true;
    clearTimeout(this.#deadline);
    this.#resolve(this.#answerOf(detail, extent));
  }

  #answerOf(detail: string, extent: Extent): CentralAnswer {
    if (this.#status === null) return { kind: this.#controller === null ? 'unsent' : 'unanswered', detail };
    const bytes = this.#gathered.bytes() ?? Buffer.alloc(0);
    return { kind: 'answered', status: this.#status, headers: this.#headers, bytes, extent };
  }
}

/** `4071:error:0A00010B:SSL routines:tls_validate_record_header:wrong version number:../deps/…` */
const OPENSSL = /^\w+:error:\w+:[^:]*:[^:]*:([^:]+):.*$/s;
/** Node's own advice about its options does not help a person who runs plantgate. */
const ADVICE_OF_NODE = /; if the root CA is installed.*$/s;

/**
 * The sentence of a fault of the network, and the code by which people find it: TLS and sockets say it in their code
 * alone. If a name has several addresses, each has a sentence of its own.
 */
function textOf(error: Error): string {
  const code = errorCode(error);
  const causes: readonly unknown[] = error instanceof AggregateError ? error.errors : [error];
  const sentence = causes.map((cause) => sentenceOf(errorMessage(cause))).join('; ');
  return code === null || sentence.includes(code) ? sentence : `${sentence} (${code})`;
}

function sentenceOf(message: string): string {
  return message.replace(OPENSSL, '$1').replace(ADVICE_OF_NODE, '').trim();
}
