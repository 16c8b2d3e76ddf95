import { LIMITS } from '../limits.ts';

/** A client whose packets wait. */
interface WaitingClient {
  /** Handles packets for as long as `take` allows. */
  goOn(): void;
}

/**
 * Limits the packets of clients other than machines: in one turn of the event loop all clients together have a slice
 * of its time, and a number of packets, because aedes does its part of the work later. The sockets of machines get
 * their turn in between.
 */
export class PacketTurns {
  readonly #waiting = new Set<WaitingClient>();
  readonly #nowMs: () => number;
  #left: number = LIMITS.clientPacketsPerTurn;
  #untilMs = 0;
  #turn: NodeJS.Immediate | null = null;

  constructor(nowMs: () => number) {
    this.#nowMs = nowMs;
  }

  /** Whether one more packet may be handled in this turn; it counts if so. */
  take(): boolean {
    const nowMs = this.#nowMs();
    if (this.#turn === null) this.#begin(nowMs);
    if (this.#left === 0 || nowMs >= this.#untilMs) return false;
    this.#left--;
    return true;
  }

  /** Lets `client` go on in a later turn. */
  wait(client: WaitingClient): void {
    this.#waiting.add(client);
    if (this.#turn === null) this.#begin(this.#nowMs());
  }

  drop(client: WaitingClient): void {
    this.#waiting.delete(client);
  }

  #begin(nowMs: number): void {
    this.#left = LIMITS.clientPacketsPerTurn;
    this.#untilMs = nowMs + LIMITS.clientSliceMs;
    this.#turn = setImmediate(() => this.#next());
  }

  /** Packets that still wait when the slice is used up stay first in line. */
  #next(): void {
    this.#turn = null;
    if (this.#waiting.size === 0) return;
    this.#begin(this.#nowMs());
    for (const client of this.#waiting) {
      if (this.#left === 0 || this.#nowMs() >= this.#untilMs) return;
      this.#waiting.delete(client);
      client.goOn();
    }
  }
}
