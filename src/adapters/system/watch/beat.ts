import { readFileSync } from 'node:fs';
import type { WatchTiming } from './watch.ts';

/** Clock ticks of the kernel a second, as /proc counts processor time. */
const TICKS_PER_SECOND = 100;
/** In /proc/…/stat behind the name, which ends with the last bracket. */
const STATE = 0;
const USER_TICKS = 11;
const SYSTEM_TICKS = 12;
/** A thread that used this much of a processor did not wait for a disk. */
const BUSY_SHARE = 0.5;

interface ThreadActivity {
  /** One letter (proc(5)): R runs, S sleeps, D waits for a disk, T is stopped. */
  readonly state: string;
  readonly processorMs: number;
}

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

/** The kernel's report about a thread of this process; null without the thread or without /proc. */
function threadActivity(threadId: number): ThreadActivity | null {
  try {
    const text = readFileSync(`/proc/self/task/${threadId}/stat`, 'utf8');
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
    const ticks = Number(fields[USER_TICKS]) + Number(fields[SYSTEM_TICKS]);
    return { state: fields[STATE] ?? '?', processorMs: (ticks * 1_000) / TICKS_PER_SECOND };
  } catch {
    return null;
  }
}

/**
 * A store thread that waits for a disk counts as alive, for any time: the gateway still decides, and a restarted thread
 * could not even open the database. A thread that opens its database may be busy for much longer than another. A thread
 * that runs in circles, or that is gone and does not come back, counts as dead.
 */
export function isStoreAlive(
  store: Beat,
  isOpening: boolean,
  nowMs: number,
  { storeDeadMs, storeOpeningMs }: Pick<WatchTiming, 'storeDeadMs' | 'storeOpeningMs'>,
): boolean {
  const lateMs = store.lateMs(nowMs);
  if (lateMs < storeDeadMs) return true;
  const activity = store.activity(nowMs);
  if (activity === null) return false;
  return activity.processorShare < BUSY_SHARE || (isOpening && lateMs < storeOpeningMs);
}
