import type { AddressInfo } from 'node:net';
import { connect, createServer, type Server, type Socket } from 'node:net';

/** The faults of a line for the bytes of one connection, each direction by itself. */
export interface LineFaults {
  /** The delay before each piece goes on, drawn again for each. */
  readonly delayMs: () => number;
  /**
   * The number of bytes from the client after which the connection is cut; null for never. Earlier bytes are passed on.
   */
  readonly cutAfterSentBytes: () => number | null;
  /** The same for bytes of answers: the request was carried out, and its answer is lost. */
  readonly cutAfterReceivedBytes: () => number | null;
  /** Whether the bytes of a client come a second time, on another connection whose answers are not read. */
  readonly isDuplicated: (sent: Buffer) => boolean;
}

export const SOUND_LINE: LineFaults = {
  delayMs: () => 0,
  cutAfterSentBytes: () => null,
  cutAfterReceivedBytes: () => null,
  isDuplicated: () => false,
};

const INTERFACE_WRITE = /(POST|PUT|DELETE) \/api\/(v1\/(?!sync)|device)/;

/** Faults drawn with random numbers from 0 to 1; `rate` is the share of disturbed connections. */
export function randomFaults(random: () => number, rate: number): LineFaults {
  const cut = (upToBytes: number) => (random() < rate / 3 ? Math.floor(random() ** 2 * upToBytes) : null);
  return {
    delayMs: () => (random() < rate ? random() * 30 : 0),
    cutAfterSentBytes: () => cut(20_000),
    cutAfterReceivedBytes: () => cut(4_000),
    // The interface alone cannot distinguish a copy of a request from a second request; batches can.
    isDuplicated: (sent) => random() < rate / 3 && !INTERFACE_WRITE.test(sent.toString('latin1')),
  };
}

/** The maximum delay of a duplicate behind the original: later than the answer, so that it meets another state. */
const DUPLICATE_LAG_MS = 40;

/** A line between two programs over TCP, with faults like a real line. */
export class BadLine {
  faults: LineFaults = SOUND_LINE;
  readonly #to: () => number;
  readonly #sockets = new Set<Socket>();
  #server: Server | null = null;
  #isDown = false;
  #port = 0;

  /** `to` gives the port of the present destination. */
  constructor(to: () => number) {
    this.#to = to;
  }

  get url(): string {
    return `http://127.0.0.1:${this.#port}/`;
  }

  async start(): Promise<void> {
    const server = createServer((client) => this.#pass(client));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    this.#port = (server.address() as AddressInfo).port;
    this.#server = server;
  }

  async stop(): Promise<void> {
    const server = this.#server;
    this.#server = null;
    if (server === null) return;
    const closed = new Promise((resolve) => server.close(resolve));
    this.cut();
    await closed;
  }

  /** While the line is down, each connection is cut off at once. */
  set isDown(isDown: boolean) {
    this.#isDown = isDown;
    if (isDown) this.cut();
  }

  cut(): void {
    for (const socket of this.#sockets) socket.destroy();
  }

  #pass(client: Socket): void {
    this.#keep(client);
    if (this.#isDown) {
      client.destroy();
      return;
    }
    const server = this.#connect();
    const sent: Buffer[] = [];
    const { isDuplicated } = this.faults;
    client.on('data', (bytes) => sent.push(bytes));
    this.#carry(client, server, this.faults.cutAfterSentBytes());
    this.#carry(server, client, this.faults.cutAfterReceivedBytes());
    const end = () => {
      client.destroy();
      server.destroy();
      const all = Buffer.concat(sent.splice(0));
      if (all.length > 0 && isDuplicated(all)) this.#repeat(all);
    };
    client.on('close', end);
    server.on('close', end);
  }

  #carry(from: Socket, to: Socket, cutAfterBytes: number | null): void {
    let passed = 0;
    let turn = Promise.resolve();
    from.on('data', (bytes) => {
      const room = cutAfterBytes === null ? bytes.length : Math.max(0, cutAfterBytes - passed);
      passed += bytes.length;
      const delayMs = this.faults.delayMs();
      turn = turn.then(async () => {
        if (delayMs > 0) await new Promise((resolve) => setTimeout(resolve, delayMs));
        if (room > 0) to.write(bytes.subarray(0, room));
        if (room < bytes.length) to.end(() => from.destroy());
      });
    });
    from.on('end', () => {
      turn = turn.then(() => {
        to.end();
      });
    });
  }

  /** The same bytes again, a little later; the connection is closed once they are out. */
  #repeat(bytes: Buffer): void {
    setTimeout(() => {
      if (this.#server === null || this.#isDown) return;
      const server = this.#connect();
      server.resume();
      server.write(bytes);
      setTimeout(() => server.destroy(), DUPLICATE_LAG_MS);
    }, DUPLICATE_LAG_MS / 2);
  }

  #connect(): Socket {
    const server = connect({ port: this.#to(), host: '127.0.0.1' });
    this.#keep(server);
    return server;
  }

  #keep(socket: Socket): void {
    this.#sockets.add(socket);
    socket.on('close', () => this.#sockets.delete(socket));
    // Broken connections are the purpose of this line: both ends see the close.
    socket.on('error', () => socket.destroy());
  }
}
