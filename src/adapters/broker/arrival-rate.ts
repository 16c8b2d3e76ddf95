import { LIMITS } from './limits.ts';

const TICK_MS = 20;
const ARRIVALS_PER_TICK = (LIMITS.clientArrivalsPerSecond * TICK_MS) / 1_000;

/**
 * Lets clients other than machines in at a bounded rate, first come, first served. Each costs aedes some 30 kB of
 * short-lived memory: thousands a second that come and go would leave more garbage than the engine clears away.
 */
export class ArrivalRate {
  readonly #waiting: (() => void)[] = [];
  #left = ARRIVALS_PER_TICK;
  #tick: NodeJS.Timeout | null = null;

  /** Calls `open` at once, or when it is its turn. */
  run(open: () => void): void {
    this.#tick ??= setInterval(() => this.#next(), TICK_MS).unref();
    if (this.#left === 0) {
      this.#waiting.push(open);
      return;
    }
    this.#left--;
    open();
  }

  close(): void {
    this.#waiting.length = 0;
    if (this.#tick !== null) clearInterval(this.#tick);
  }

  #next(): void {
    const due = this.#waiting.splice(0, ARRIVALS_PER_TICK);
    this.#left = ARRIVALS_PER_TICK - due.length;
    if (due.length === 0 && this.#tick !== null) {
      clearInterval(this.#tick);
      this.#tick = null;
    }
    for (const open of due) open();
  }
}
