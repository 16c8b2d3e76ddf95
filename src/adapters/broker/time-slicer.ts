type Job = () => void;

/**
 * Serves many clients in the order of arrival, and in one turn of the event loop only as many as fit into a slice of
 * time. So thousands that come back, or vanish, at once do not delay connected clients. Each client waits with one job
 * at most, so there are never more jobs than connections.
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

  /** Does the job at once if this turn has time left and no other job waits, else when its turn comes. */
  run(one: object, job: Job): void {
    if (this.#closed) return;
    this.#nextTurn ??= setImmediate(() => this.#turn());
    if (this.#waiting.size === 0 && this.#spentMs < this.#sliceMs) this.#spend(job);
    else this.#waiting.set(one, job);
  }

  /** Forgets the job of a client that does not need it any more. */
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
