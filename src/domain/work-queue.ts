/**
 * Runs asynchronous work in the order of arrival, one job at a time or a few; work beyond the bound is refused with
 * `refuse()`. A job that fails rejects, and the next one runs all the same.
 */
export class WorkQueue {
  readonly #maxRunning: number;
  readonly #maxWaiting: number;
  readonly #refuse: () => Error;
  readonly #waiting: (() => void)[] = [];
  #first = 0;
  #running = 0;

  constructor(maxRunning = 1, maxWaiting = Number.POSITIVE_INFINITY, refuse = () => new Error('too much work waits')) {
    this.#maxRunning = maxRunning;
    this.#maxWaiting = maxWaiting;
    this.#refuse = refuse;
  }

  get isIdle(): boolean {
    return this.#running === 0;
  }

  async run<T>(work: () => Promise<T>): Promise<T> {
    if (this.#running < this.#maxRunning) this.#running++;
    else await this.#turn();
    try {
      return await work();
    } finally {
      this.#next();
    }
  }

  #turn(): Promise<void> {
    if (this.#waiting.length - this.#first >= this.#maxWaiting) throw this.#refuse();
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  /** The longest waiting work takes the free place. */
  #next(): void {
    const resume = this.#waiting[this.#first];
    if (resume === undefined) {
      this.#running--;
      return;
    }
    this.#first++;
    if (this.#first === this.#waiting.length) {
      this.#waiting.length = 0;
      this.#first = 0;
    }
    resume();
  }
}
