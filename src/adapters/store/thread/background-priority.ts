import { readlinkSync } from 'node:fs';
import { constants, getPriority, setPriority } from 'node:os';

/**
 * Where processors are short the main thread goes first, for it decides: the calling thread steps behind it. Linux alone
 * knows a priority of single threads; elsewhere nothing changes.
 */
export function stepBehindMainThread(): void {
  if (process.platform !== 'linux') return;
  const threadId = Number(readlinkSync('/proc/thread-self').split('/').at(-1));
  const priority = constants.priority.PRIORITY_BELOW_NORMAL;
  // Going up again takes rights that a service has not.
  if (getPriority(threadId) < priority) setPriority(threadId, priority);
}
