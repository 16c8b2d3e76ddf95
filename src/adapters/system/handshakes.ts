import type { Socket } from 'node:net';
import type { Server } from 'node:tls';

/** Handshakes get this much of one turn of the event loop: each takes 0.3 to 4 ms of cryptography in this thread. */
export const HANDSHAKE_SLICE_MS = 4;
/** A connection whose client has not sent its hello within this time is closed. */
export const HELLO_TIMEOUT_MS = 5_000;
const HANDSHAKE_RECORD = 0x16;
const RECORD_HEADER_BYTES = 5;
/** The first record of TLS. More of it is not waited for. */
const MAX_RECORD_BYTES = 16_384;

/**
 * Begins TLS handshakes in the order of arrival, and in one turn of the event loop only as many as fit into a slice of
 * time, over all servers together. So hundreds of clients that come back at once do not delay connected clients.
 */
export class Handshakes {
  readonly #waiting = new Map<Socket, () => void>();
  readonly #helloTimeoutMs: number;
  #isServing = false;

  constructor(helloTimeoutMs = HELLO_TIMEOUT_MS) {
    this.#helloTimeoutMs = helloTimeoutMs;
  }

  /** Holds the server's connections until their turn comes. Other listeners must be added afterwards. */
  readonly pace = (server: Server): void => {
    const begins = server.listeners('connection');
    server.removeAllListeners('connection');
    server.on('connection', (socket) =>
      this.#onceHeard(socket, () => {
        for (const begin of begins) begin.call(server, socket);
      }),
    );
    // tls reports that the time for a handshake is over, and leaves the connection to the listener.
    server.on('tlsClientError', (error: NodeJS.ErrnoException, socket) => {
      if (error.code === 'ERR_TLS_HANDSHAKE_TIMEOUT') socket.destroy();
    });
  };

  /** A client that has not sent its hello is not in the line, because only a handshake with a hello takes time. */
  #onceHeard(socket: Socket, begin: () => void): void {
    const silence = setTimeout(() => socket.destroy(), this.#helloTimeoutMs);
    let heard: Buffer = Buffer.alloc(0);
    socket.on('error', () => socket.destroy());
    socket.once('close', () => {
      clearTimeout(silence);
      this.#waiting.delete(socket);
    });
    const hear = () => {
      const bytes: Buffer | null = socket.read();
      if (bytes === null) {
        socket.destroy();
        return;
      }
      heard = Buffer.concat([heard, bytes]);
      if (!isWholeRecord(heard)) return;
      clearTimeout(silence);
      socket.off('readable', hear);
      socket.unshift(heard);
      this.#wait(socket, begin);
    };
    socket.on('readable', hear);
  }

  #wait(socket: Socket, begin: () => void): void {
    this.#waiting.set(socket, begin);
    if (this.#isServing) return;
    this.#isServing = true;
    setImmediate(() => this.#serve(performance.now()));
  }

  #serve(fromMs: number): void {
    const [next] = this.#waiting;
    if (next === undefined) {
      this.#isServing = false;
      return;
    }
    if (performance.now() - fromMs >= HANDSHAKE_SLICE_MS) {
      setImmediate(() => this.#serve(performance.now()));
      return;
    }
    const [socket, begin] = next;
    this.#waiting.delete(socket);
    begin();
    // tls reads the arrived bytes, and calculates, in its own tick right afterwards.
    process.nextTick(() => this.#serve(fromMs));
  }
}

/** Whether the first record is complete. tls refuses anything else. RFC 8446, 5.1. */
function isWholeRecord(bytes: Buffer): boolean {
  if (bytes[0] !== HANDSHAKE_RECORD) return true;
  if (bytes.length < RECORD_HEADER_BYTES) return false;
  const lengthBytes = Math.min(bytes.readUInt16BE(3), MAX_RECORD_BYTES);
  return bytes.length >= RECORD_HEADER_BYTES + lengthBytes;
}
