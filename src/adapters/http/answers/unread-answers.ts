import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { Readable } from 'node:stream';
import type { Context, Next } from 'koa';
import type { Incidents } from '../../../flows/ports.ts';
import { LIMITS } from '../limits.ts';
import { addressOf } from '../requests/client.ts';
import { heldBytes } from '../requests/request-bodies.ts';
import { HttpError } from './error-answer.ts';

/** Probes are always answered, because their answers are short and a supervising program needs them. */
const PROBES: ReadonlySet<string> = new Set(['/healthz', '/readyz']);

/**
 * Bounds the answers that clients have not read, over all connections. Beyond the bound only devices are
 * answered, and clients that read nothing are cut off, the slowest first.
 */
export class UnreadAnswers {
  readonly #incidents: Incidents;
  readonly #nowMs: () => number;
  readonly #underWay = new Map<ServerResponse, AnswerUnderWay>();
  #bytes = 0;
  #countedAtMs = Number.NEGATIVE_INFINITY;

  constructor(incidents: Incidents, nowMs: () => number) {
    this.#incidents = incidents;
    this.#nowMs = nowMs;
  }

  /** Counts an answer from now on until it is read or its connection ends. */
  begin(request: IncomingMessage, response: ServerResponse): void {
    this.#underWay.set(response, new AnswerUnderWay(request, response, this.#nowMs()));
    response.once('close', () => this.#underWay.delete(response));
  }

  /** Refuses to make an answer while too much is unread, and to send one that would be too much. */
  readonly guard = async (context: Context, next: Next): Promise<void> => {
    if (!PROBES.has(context.path) && this.#total() > LIMITS.unreadBytes) throw tooMuch();
    await next();
    const { body } = context;
    if (Buffer.isBuffer(body) && body.length > LIMITS.answerPieceBytes) this.#sendInPieces(context, body);
  };

  /** The body of this answer is memory that all such answers share. */
  share(response: ServerResponse): void {
    this.#underWay.get(response)?.share();
  }

  /** The requests that have not come as a whole, each with the time since it began. */
  *incomplete(): Iterable<{ readonly request: IncomingMessage; readonly forMs: number }> {
    const nowMs = this.#nowMs();
    for (const { request, begunMs } of this.#underWay.values()) {
      if (!request.complete) yield { request, forMs: nowMs - begunMs };
    }
  }

  /** To be called about once a second. */
  sweep(): void {
    const nowMs = this.#nowMs();
    this.#count(nowMs);
    const answers = [...this.#underWay].map(([response, answer]) => ({
      response,
      answer,
      forMs: answer.stalledMs(nowMs),
    }));
    answers.sort((one, other) => other.forMs - one.forMs);
    for (const { response, answer, forMs } of answers) {
      const isUnderPressure = this.#bytes > LIMITS.unreadBytes / 2;
      if (forMs < (isUnderPressure ? LIMITS.stalledUnderPressureMs : LIMITS.stalledReaderMs)) return;
      this.#underWay.delete(response);
      this.#cutOff(answer, forMs);
    }
  }

  /**
   * A long body is handed over piece by piece, so that the connection holds little and shows whether its client reads.
   */
  #sendInPieces(context: Context, body: Buffer): void {
    const answer = this.#underWay.get(context.res);
    const isFree = answer === undefined || answer.isShared;
    if (!isFree) {
      this.#count(this.#nowMs());
      const others = this.#bytes - answer.bytes;
      // A too large answer is sent while no other client needs memory. The result of a write is always sent.
      if (context.method === 'GET' && others > 0 && others + body.length > LIMITS.unreadBytes) throw tooMuch();
      answer.holds(body.length);
      this.#bytes += body.length;
    }
    context.body = Readable.from(piecesOf(body), { objectMode: false });
    context.length = body.length;
  }

  #cutOff(answer: AnswerUnderWay, forMs: number): void {
    const detail = `cut off: it read none of ${answer.waitingBytes} bytes for ${Math.round(forMs / 1_000)} s`;
    const subject = `http ${addressOf(answer.request)}`;
    this.#incidents.report({ kind: 'slowReader', subject, detail });
    this.#bytes -= answer.bytes;
    answer.socket.destroy();
  }

  #total(): number {
    const nowMs = this.#nowMs();
    if (nowMs - this.#countedAtMs >= LIMITS.unreadCountMs) this.#count(nowMs);
    return this.#bytes;
  }

  #count(nowMs: number): void {
    this.#countedAtMs = nowMs;
    this.#bytes = 0;
    for (const answer of this.#underWay.values()) this.#bytes += answer.bytes;
  }
}

function* piecesOf(body: Buffer): Iterable<Buffer> {
  for (let from = 0; from < body.length; from += LIMITS.answerPieceBytes) {
    yield body.subarray(from, from + LIMITS.answerPieceBytes);
  }
}

function tooMuch(): HttpError {
  const message = 'the gateway has sent more than its clients read: try again in a few seconds';
  return new HttpError(503, message, { 'Retry-After': '3', Connection: 'close' });
}

/** One request from its arrival until the system has taken the whole answer. */
class AnswerUnderWay {
  readonly socket: Socket;
  readonly request: IncomingMessage;
  readonly begunMs: number;
  readonly #response: ServerResponse;
  /** Bytes that the connection had sent before this answer. */
  readonly #passedBefore: number;
  /** Bytes of the body if they are known and in memory; shared memory costs nothing more. */
  #bodyBytes = 0;
  #isShared = false;
  #passed: number;
  #sinceMs: number;

  constructor(request: IncomingMessage, response: ServerResponse, nowMs: number) {
    this.socket = request.socket;
    this.request = request;
    this.begunMs = nowMs;
    this.#response = response;
    this.#passedBefore = this.#passedNow();
    this.#passed = this.#passedBefore;
    this.#sinceMs = nowMs;
  }

  /** The body is in memory as a whole, though it is handed to the connection piece by piece. */
  holds(bytes: number): void {
    this.#bodyBytes = bytes;
  }

  /** The body is memory that all such answers have in common. */
  share(): void {
    this.#isShared = true;
  }

  get isShared(): boolean {
    return this.#isShared;
  }

  /** Bytes that wait for the client to read. */
  get waitingBytes(): number {
    return this.#response.writableLength;
  }

  /** Memory that the answer and its request take. TLS keeps an encrypted copy of what waits, also of shared memory. */
  get bytes(): number {
    const request = heldBytes(this.request);
    const waiting = this.waitingBytes;
    const isEncrypted = 'encrypted' in this.socket;
    if (this.#isShared) return request + (isEncrypted ? waiting : 0);
    const unsent = this.#bodyBytes - (this.#passedNow() - this.#passedBefore);
    return request + Math.max(waiting, unsent) + (isEncrypted ? waiting : 0);
  }

  /** How long the client has read none of the waiting bytes. It samples: call it regularly. */
  stalledMs(nowMs: number): number {
    const passed = this.#passedNow();
    if (passed !== this.#passed || this.waitingBytes === 0) this.#sinceMs = nowMs;
    this.#passed = passed;
    return nowMs - this.#sinceMs;
  }

  #passedNow(): number {
    return this.socket.bytesWritten - this.socket.writableLength;
  }
}
