import { readFileSync } from 'node:fs';

/** Clock ticks of the kernel a second, as /proc counts processor time. */
const TICKS_PER_SECOND = 100;
/** In /proc/…/stat behind the name, which ends with the last bracket. */
const STATE = 0;
const USER_TICKS = 11;
const SYSTEM_TICKS = 12;

export interface ThreadActivity {
  /** One letter (proc(5)): R runs, S sleeps, D waits for a disk, T is stopped. */
  readonly state: string;
  readonly processorMs: number;
}

/** The kernel's report about a thread of this process; null without the thread or without /proc. */
export function threadActivity(threadId: number): ThreadActivity | null {
  try {
    const text = readFileSync(`/proc/self/task/${threadId}/stat`, 'utf8');
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
    const ticks = Number(fields[USER_TICKS]) + Number(fields[SYSTEM_TICKS]);
    return { state: fields[STATE] ?? '?', processorMs: (ticks * 1_000) / TICKS_PER_SECOND };
  } catch {
    return null;
  }
}
