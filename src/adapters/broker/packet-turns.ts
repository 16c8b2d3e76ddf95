import { LIMITS } from './limits.ts';

/** A client whose packets wait. */
interface WaitingClient {
  /** Handles packets for as long as `take` allows. */
  goOn(): void;
}

/**
 * Rations the packets of clients other than machines: so many in one turn of the event loop, all clients together. The
 * sockets of machines come in between, however much the others send.
 */
export class PacketTurns {
  readonly #waiting = new Set<WaitingClient>();
  #left: number = LIMITS.clientPacketsPerTurn;
  #turn: NodeJS.Immediate | null = null;

  /** Whether one more packet may be handled in this turn; it counts if so. */
  take(): boolean {
    this.#turn ??= setImmediate(() => this.#next());
    if (this.#left === 0) return false;
    this.#left--;
    return true;
  }

  /** Has `client` go on in a later turn. */
  wait(client: WaitingClient): void {
    this.#waiting.add(client);
    this.#turn ??= setImmediate(() => this.#next());
  }

  drop(client: WaitingClient): void {
    this.#waiting.delete(client);
  }

  #next(): void {
    this.#turn = null;
    this.#left = LIMITS.clientPacketsPerTurn;
    for (const client of this.#waiting) {
      if (this.#left === 0) break;
      this.#waiting.delete(client);
      client.goOn();
    }
    if (this.#waiting.size > 0) this.#turn ??= setImmediate(() => this.#next());
  }
}
