import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { heldBytes } from '../requests/held-request.ts';

/** One request from its arrival until the system has taken the whole answer. */
export class AnswerUnderWay {
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

  /** The time for which its client has read none of the waiting bytes. To be called regularly. */
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
