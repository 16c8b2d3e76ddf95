import type { Socket } from 'node:net';

export interface ConnectionBounds {
  readonly connections: number;
  readonly connectionsPerAddress: number;
}

/**
 * The open connections of a server, counted in all and per address. Programs of this computer, and proxies that carry
 * the connections of others, may have all of them.
 */
export class OpenConnections {
  readonly #bounds: ConnectionBounds;
  readonly #onFull: (address: string, detail: string) => void;
  readonly #isProxy: (address: string) => boolean;
  readonly #open = new Set<Socket>();
  readonly #byAddress = new Map<string, number>();

  /** `onFull` is told of each connection that is closed because there are too many. */
  constructor(
    bounds: ConnectionBounds,
    onFull: (address: string, detail: string) => void,
    isProxy: (address: string) => boolean = () => false,
  ) {
    this.#bounds = bounds;
    this.#isProxy = isProxy;
    this.#onFull = onFull;
  }

  get total(): number {
    return this.#open.size;
  }

  /** Counts a connection from its first moment to its last. Closes it at once if there are too many, and gives false. */
  readonly admit = (socket: Socket): boolean => {
    const address = socket.remoteAddress ?? 'unknown';
    const here = this.#byAddress.get(address) ?? 0;
    if (this.#isFull(address, here)) {
      this.#onFull(address, `${here} connections from there, ${this.total} in all`);
      socket.destroy();
      return false;
    }
    this.#open.add(socket);
    this.#byAddress.set(address, here + 1);
    socket.once('close', () => {
      this.#open.delete(socket);
      this.#release(address);
    });
    return true;
  };

  /** Closes every connection at once, also those that only begin a TLS handshake. */
  cutAll(): void {
    for (const socket of this.#open) socket.destroy();
  }

  #isFull(address: string, here: number): boolean {
    const { connections, connectionsPerAddress } = this.#bounds;
    if (this.total >= connections) return true;
    return here >= connectionsPerAddress && !LOOPBACK.test(address) && !this.#isProxy(address);
  }

  #release(address: string): void {
    const here = this.#byAddress.get(address) ?? 0;
    if (here > 1) this.#byAddress.set(address, here - 1);
    else this.#byAddress.delete(address);
  }
}

const LOOPBACK = /^(127\.|::1$|::ffff:127\.)/;
