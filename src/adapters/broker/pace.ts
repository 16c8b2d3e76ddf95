import { LIMITS } from './limits.ts';

type Job = () => void;

/**
 * Takes newcomers in first come, first served, and no more of them in a turn of the event loop than fit into
 * `LIMITS.greetingSliceMs`: thousands that come back at once do not keep those who are connected waiting. Each newcomer
 * waits with one job at most, so there are never more than there may be connections.
 */
export class Pace {
  readonly #nowMs: () => number;
  readonly #waiting = new Map<object, Job>();
  #nextTurn: NodeJS.Immediate | null = null;
  #spentMs = 0;
  #closed = false;

  constructor(nowMs: () => number) {
    this.#nowMs = nowMs;
  }

  get waiting(): number {
    return this.#waiting.size;
  }

  /** Does the job at once where this turn has time left for it and nobody waits, else as soon as its turn comes. */
  run(newcomer: object, job: Job): void {
    if (this.#closed) return;
    this.#nextTurn ??= setImmediate(() => this.#turn());
    if (this.#waiting.size === 0 && this.#spentMs < LIMITS.greetingSliceMs) this.#spend(job);
    else this.#waiting.set(newcomer, job);
  }

  /** Forgets a newcomer that left. */
  drop(newcomer: object): void {
    this.#waiting.delete(newcomer);
  }

  /** Forgets whoever waits, and takes nobody in any more. */
  close(): void {
    this.#closed = true;
    this.#waiting.clear();
  }

  #turn(): void {
    this.#spentMs = 0;
    this.#nextTurn = this.#waiting.size === 0 ? null : setImmediate(() => this.#turn());
    for (const [newcomer, job] of this.#waiting) {
      if (this.#spentMs >= LIMITS.greetingSliceMs) return;
      this.#waiting.delete(newcomer);
      this.#spend(job);
    }
  }

  #spend(job: Job): void {
    const fromMs = this.#nowMs();
    job();
    this.#spentMs += this.#nowMs() - fromMs;
  }
}
