import type { Socket } from 'node:net';
import type { Context, Next } from 'koa';
import type { Incidents } from '../../flows/ports.ts';
import { HttpError } from './error-answer.ts';
import { LIMITS } from './limits.ts';

/** What a connection had not read when it was last looked at, and since when it has read nothing of it. */
interface Unread {
  readonly bytes: number;
  readonly sinceMs: number;
}

/**
 * Bounds what clients were answered and do not read, over all connections. Beyond the bound nobody but devices is
 * answered, and clients that read nothing are cut off, the slowest first.
 */
export class UnreadAnswers {
  readonly #sockets: () => Iterable<Socket>;
  readonly #incidents: Incidents;
  readonly #nowMs: () => number;
  /** Connections whose answer is shared memory: it costs nothing more however many are sent it. */
  readonly #shared = new WeakSet<Socket>();
  #stalled = new Map<Socket, Unread>();
  #bytes = 0;
  #countedAtMs = Number.NEGATIVE_INFINITY;

  constructor(sockets: () => Iterable<Socket>, incidents: Incidents, nowMs: () => number) {
    this.#sockets = sockets;
    this.#incidents = incidents;
    this.#nowMs = nowMs;
  }

  /** Refuses to make an answer while too much is unread. */
  readonly guard = (context: Context, next: Next): Promise<unknown> => {
    this.#shared.delete(context.req.socket);
    if (this.#total() <= LIMITS.unreadBytes) return next();
    const message = 'the gateway has sent more than its clients read: try again in a few seconds';
    throw new HttpError(503, message, { 'Retry-After': '3', Connection: 'close' });
  };

  /** The answer on this connection is memory that all such answers share. */
  share(socket: Socket): void {
    this.#shared.add(socket);
  }

  /** To be called about once a second. */
  sweep(): void {
    const nowMs = this.#nowMs();
    const stalled = new Map<Socket, Unread>();
    for (const socket of this.#sockets()) {
      const bytes = socket.writableLength;
      if (bytes === 0) continue;
      const before = this.#stalled.get(socket);
      stalled.set(socket, before?.bytes === bytes ? before : { bytes, sinceMs: nowMs });
    }
    this.#stalled = stalled;
    this.#count(nowMs);
    const slowestFirst = [...stalled].sort(([, one], [, other]) => one.sinceMs - other.sinceMs);
    for (const [socket, { bytes, sinceMs }] of slowestFirst) this.#judge(socket, bytes, nowMs - sinceMs);
  }

  #judge(socket: Socket, bytes: number, stalledMs: number): void {
    const isUnderPressure = this.#bytes > LIMITS.unreadBytes / 2;
    if (stalledMs < (isUnderPressure ? LIMITS.stalledUnderPressureMs : LIMITS.stalledReaderMs)) return;
    const detail = `cut off: it read none of ${bytes} bytes for ${Math.round(stalledMs / 1_000)} s`;
    const subject = `http ${socket.remoteAddress ?? 'unknown'}`;
    this.#incidents.report({ kind: 'slowReader', subject, detail });
    socket.destroy();
    if (!this.#shared.has(socket)) this.#bytes -= bytes;
  }

  #total(): number {
    const nowMs = this.#nowMs();
    if (nowMs - this.#countedAtMs >= LIMITS.unreadCountMs) this.#count(nowMs);
    return this.#bytes;
  }

  #count(nowMs: number): void {
    this.#countedAtMs = nowMs;
    this.#bytes = 0;
    for (const socket of this.#sockets()) if (!this.#shared.has(socket)) this.#bytes += socket.writableLength;
  }
}
