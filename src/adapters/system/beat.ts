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

  /** The thread's activity since it beat last: the kernel's letter, and its share of a processor. Null: it is gone. */
  activity(nowMs: number): { readonly state: string; readonly processorShare: number } | null {
    const now = threadActivity(this.#threadId());
    if (now === null) return null;
    const usedMs = now.processorMs - (this.#then?.processorMs ?? 0);
    return { state: now.state, processorShare: usedMs / Math.max(nowMs - this.#sinceMs, 1) };
  }

  /** It was looked at too seldom to say since when it is late, as after the whole process stood still. */
  forgive(nowMs: number): void {
    this.#sinceMs = nowMs;
  }
}
