/** A fact that costs a question: asked at most once in its interval, and never waited for. Null: not known. */
export class Polled<T> {
  readonly #everyMs: number;
  readonly #ask: () => Promise<T>;
  readonly #onFault: (error: unknown) => void;
  #value: T | null = null;
  #askedMs = Number.NEGATIVE_INFINITY;
  #isAsking = false;

  constructor(everyMs: number, ask: () => Promise<T>, onFault: (error: unknown) => void) {
    this.#everyMs = everyMs;
    this.#ask = ask;
    this.#onFault = onFault;
  }

  /** The newest answer. Asks again if it is old. */
  at(monotonicMs: number): T | null {
    if (!this.#isAsking && monotonicMs - this.#askedMs >= this.#everyMs) void this.#poll(monotonicMs);
    return this.#value;
  }

  async #poll(monotonicMs: number): Promise<void> {
    this.#isAsking = true;
    this.#askedMs = monotonicMs;
    try {
      this.#value = await this.#ask();
    } catch (error) {
      this.#value = null;
      this.#onFault(error);
    } finally {
      this.#isAsking = false;
    }
  }
}
