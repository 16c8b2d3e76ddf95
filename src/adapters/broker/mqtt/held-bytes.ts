/** Bytes that connections hold. Each may hold `allowance` uncounted; all together are bounded by `limit`. */
export class HeldBytes {
  readonly #limit: number;
  readonly #allowance: number;
  #total = 0;

  constructor(limit: number, allowance: number) {
    this.#limit = limit;
    this.#allowance = allowance;
  }

  get total(): number {
    return this.#total;
  }

  /** Notes that a connection holds `now` bytes instead of `before`. Gives whether there is room for them. */
  change(before: number, now: number): boolean {
    this.#total += this.#counted(now) - this.#counted(before);
    return this.#counted(now) === 0 || this.#total <= this.#limit;
  }

  #counted(bytes: number): number {
    return bytes > this.#allowance ? bytes : 0;
  }
}
