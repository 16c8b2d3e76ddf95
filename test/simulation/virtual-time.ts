interface Due {
  readonly atMs: number;
  readonly act: () => void;
}

/** Time that passes only on request, act by act; between two acts all promises settle. */
export class VirtualTime {
  nowMs = 0;
  /** Earliest first; acts of the same time in the order of their requests. */
  readonly #due: Due[] = [];

  /** Acts in `delayMs`, unless the returned function is called before. */
  readonly after = (delayMs: number, act: () => void): (() => void) => {
    const entry = { atMs: this.nowMs + delayMs, act };
    const later = this.#due.findIndex(({ atMs }) => atMs > entry.atMs);
    this.#due.splice(later < 0 ? this.#due.length : later, 0, entry);
    return () => {
      const at = this.#due.indexOf(entry);
      if (at >= 0) this.#due.splice(at, 1);
    };
  };

  sleep(delayMs: number): Promise<void> {
    return new Promise((resolve) => this.after(delayMs, resolve));
  }

  /** Lets time pass up to `untilMs`. */
  async run(untilMs: number): Promise<void> {
    await rest();
    for (let next = this.#due[0]; next !== undefined && next.atMs <= untilMs; next = this.#due[0]) {
      this.#due.shift();
      this.nowMs = next.atMs;
      next.act();
      await rest();
    }
    this.nowMs = untilMs;
  }
}

function rest(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
