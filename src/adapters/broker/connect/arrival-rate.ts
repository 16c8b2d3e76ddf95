import { LIMITS } from '../limits.ts';
import type { ClientConnection } from './client-connection.ts';

const TICK_MS = 20;
const ARRIVALS_PER_TICK = (LIMITS.clientArrivalsPerSecond * TICK_MS) / 1_000;

/**
 * Lets clients other than machines in at a bounded rate, first come, first served. Each costs aedes some 30 kB of
 * short-lived memory: thousands a second would leave more garbage than the engine clears away.
 */
export class ArrivalRate {
  readonly #waiting = new Map<ClientConnection, () => void>();
  #left = ARRIVALS_PER_TICK;
  #tick: NodeJS.Timeout | null = null;

  /** Calls `open` at once, or when it is the turn of this connection. */
  run(clientConnection: ClientConnection, open: () => void): void {
    this.#tick ??= setInterval(() => this.#next(), TICK_MS).unref();
    if (this.#left === 0) {
      this.#waiting.set(clientConnection, open);
      return;
    }
    this.#left--;
    open();
  }

  /** Forgets a connection that ended before its turn. */
  drop(clientConnection: ClientConnection): void {
    this.#waiting.delete(clientConnection);
  }

  close(): void {
    this.#waiting.clear();
    if (this.#tick !== null) clearInterval(this.#tick);
  }

  #next(): void {
    this.#left = ARRIVALS_PER_TICK;
    if (this.#waiting.size === 0 && this.#tick !== null) {
      clearInterval(this.#tick);
      this.#tick = null;
    }
    for (const [clientConnection, open] of this.#waiting) {
      if (this.#left === 0) return;
      this.#left--;
      this.#waiting.delete(clientConnection);
      open();
    }
  }
}
