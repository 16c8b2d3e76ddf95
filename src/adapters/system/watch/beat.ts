import { type ThreadActivity, threadActivity } from './thread-activity.ts';

/** Follows the beat of one thread. */
export class Beat {
  readonly #count: () => number;
  readonly #threadId: () => number;
  #last = Number.NaN;
  #sinceMs = 0;
  #then: ThreadActivity | null = null;

  constructor(count: () => number, threadId: () => number) {
    this.#count = count;
    this.#threadId = threadId;
  }

  /** The time since the last beat of the thread, in milliseconds. */
  lateMs(nowMs: number): number {
    const count = this.#count();
    if (count !== this.#last) {
      this.#last = count;
      this.#sinceMs = nowMs;
      this.#then = threadActivity(this.#threadId());
    }
    return nowMs - this.#sinceMs;
  }

  /**
   * The thread's activity since its last beat: the kernel's letter, and its share of a processor. Null if the thread is
   * gone.
   */
  activity(nowMs: number): { readonly state: string; readonly processorShare: number } | null {
    const now = threadActivity(this.#threadId());
    if (now === null) return null;
    const usedMs = now.processorMs - (this.#then?.processorMs ?? 0);
    return { state: now.state, processorShare: usedMs / Math.max(nowMs - this.#sinceMs, 1) };
  }

  /**
   * Forgets the delay, because the thread was checked too seldom to know it, for example after the whole process stood
   * still.
   */
  forgive(nowMs: number): void {
    this.#sinceMs = nowMs;
  }
}
