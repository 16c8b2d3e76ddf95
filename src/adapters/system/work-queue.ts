/**
 * Runs asynchronous work, a few jobs at a time, in the order of arrival; work beyond the bound is refused with
 * `refuse()`.
 */
export class WorkQueue {
  readonly #maxRunning: number;
  readonly #maxWaiting: number;
  readonly #refuse: () => Error;
  readonly #waiting: (() => void)[] = [];
  #first = 0;
  #running = 0;

  constructor(maxRunning: number, maxWaiting: number, refuse: () => Error) {
    this.#maxRunning = maxRunning;
    this.#maxWaiting = maxWaiting;
    this.#refuse = refuse;
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
