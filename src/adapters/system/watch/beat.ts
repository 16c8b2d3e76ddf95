import { type ThreadActivity, threadActivity } from './thread-activity.ts';

/** Follows the beat of one thread, and of the threads that take its place when it dies. */
export class Beat {
  readonly #count: () => number;
  readonly #threadId: () => number;
  readonly #activityOf: (threadId: number) => ThreadActivity | null;
  #last = Number.NaN;
  #lastThreadId = Number.NaN;
  #sinceMs = 0;
  #measuredFromMs = 0;
  #then: ThreadActivity | null = null;

  constructor(count: () => number, threadId: () => number, activityOf = threadActivity) {
    this.#count = count;
    this.#threadId = threadId;
    this.#activityOf = activityOf;
  }

  /**
   * The time since the last beat of the thread, in milliseconds. The start of another thread is no beat, because threads
   * that die one after the other at their start do nothing.
   */
  lateMs(nowMs: number): number {
    const count = this.#count();
    const threadId = this.#threadId();
    if (count !== this.#last) this.#sinceMs = nowMs;
    if (count !== this.#last || threadId !== this.#lastThreadId) this.#measureFrom(nowMs);
    this.#last = count;
    this.#lastThreadId = threadId;
    return nowMs - this.#sinceMs;
  }

  /**
   * The thread's activity since its last beat or its start: the kernel's letter, and its share of a processor. Null if
   * the thread is gone.
   */
  activity(nowMs: number): { readonly state: string; readonly processorShare: number } | null {
    const now = this.#activityOf(this.#threadId());
    if (now === null) return null;
    const usedMs = now.processorMs - (this.#then?.processorMs ?? 0);
    return { state: now.state, processorShare: usedMs / Math.max(nowMs - this.#measuredFromMs, 1) };
  }

  /**
   * Forgets the delay, because the thread was checked too seldom to know it, for example after the whole process stood
   * still.
   */
  forgive(nowMs: number): void {
    this.#sinceMs = nowMs;
    this.#measureFrom(nowMs);
  }

  #measureFrom(nowMs: number): void {
    this.#measuredFromMs = nowMs;
    this.#then = this.#activityOf(this.#threadId());
  }
}
