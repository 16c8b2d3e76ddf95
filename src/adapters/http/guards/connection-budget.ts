import type { Socket } from 'node:net';
import type { Incidents } from '../../../flows/ports.ts';
import { LIMITS } from '../limits.ts';

const LOOPBACK = /^(127\.|::1$|::ffff:127\.)/;

/** The number of connections in all, and from one address. */
export class ConnectionBudget {
  readonly #incidents: Incidents;
  readonly #byAddress = new Map<string, number>();
  readonly #open = new Set<Socket>();

  constructor(incidents: Incidents) {
    this.#incidents = incidents;
  }

  get total(): number {
    return this.#open.size;
  }

  /** Counts a connection until it closes, or closes it at once. */
  readonly admit = (socket: Socket): void => {
    const address = socket.remoteAddress ?? 'unknown';
    const count = this.#byAddress.get(address) ?? 0;
    const isFull = this.total >= LIMITS.connections;
    if (isFull || (count >= LIMITS.connectionsPerAddress && !LOOPBACK.test(address))) {
      const limit = isFull ? LIMITS.connections : LIMITS.connectionsPerAddress;
      this.#incidents.report({ kind: 'limitReached', subject: `http ${address}`, detail: `${limit} connections` });
      socket.destroy();
      return;
    }
    this.#open.add(socket);
    this.#byAddress.set(address, count + 1);
    socket.once('close', () => {
      this.#open.delete(socket);
      this.#release(address);
    });
  };

  /** Closes every connection at once, also those that only begin a TLS handshake and are unknown to HTTP yet. */
  cutAll(): void {
    for (const socket of this.#open) socket.destroy();
  }

  #release(address: string): void {
    const count = this.#byAddress.get(address) ?? 0;
    if (count > 1) this.#byAddress.set(address, count - 1);
    else this.#byAddress.delete(address);
  }
}
