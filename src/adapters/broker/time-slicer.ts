type Job = () => void;

/**
 * Serves a crowd first come, first served, and no more of it in a turn of the event loop than fit into
 * a slice of its time: thousands that come back, or vanish, at once do not keep those who are connected waiting. Each of
 * them waits with one job at most, so there are never more than there may be connections.
 */
export class TimeSlicer {
  readonly #sliceMs: number;
  readonly #nowMs: () => number;
  readonly #waiting = new Map<object, Job>();
  #nextTurn: NodeJS.Immediate | null = null;
  #spentMs = 0;
  #closed = false;

  constructor(sliceMs: number, nowMs: () => number) {
    this.#sliceMs = sliceMs;
    this.#nowMs = nowMs;
  }

  get waiting(): number {
    return this.#waiting.size;
  }

  /** Does the job at once where this turn has time left for it and nobody waits, else as soon as its turn comes. */
  run(one: object, job: Job): void {
    if (this.#closed) return;
    this.#nextTurn ??= setImmediate(() => this.#turn());
    if (this.#waiting.size === 0 && this.#spentMs < this.#sliceMs) this.#spend(job);
    else this.#waiting.set(one, job);
  }

  /** Forgets one that needs it no more. */
  drop(one: object): void {
    this.#waiting.delete(one);
  }

  /** Forgets all waiting jobs and runs no more. */
  close(): void {
    this.#closed = true;
    this.#waiting.clear();
  }

  #turn(): void {
    this.#spentMs = 0;
    this.#nextTurn = this.#waiting.size === 0 ? null : setImmediate(() => this.#turn());
    for (const [one, job] of this.#waiting) {
      if (this.#spentMs >= this.#sliceMs) return;
      this.#waiting.delete(one);
      this.#spend(job);
    }
  }

  #spend(job: Job): void {
    const fromMs = this.#nowMs();
    job();
    this.#spentMs += this.#nowMs() - fromMs;
  }
}
