import { LIMITS } from '../limits.ts';

/**
 * Calls `act` once, when `stored` is on disk. It does not wait for a disk that fails or stands still: then it calls
 * `onTrouble`, and `act` anyway. Without `stored` it calls `act` at once.
 */
export function onceStored(stored: Promise<void> | null, onTrouble: (detail: string) => void, act: () => void): void {
  if (stored === null) {
    act();
    return;
  }
  let isDone = false;
  const finish = (trouble: string | null) => {
    if (isDone) return;
    isDone = true;
    clearTimeout(timer);
    if (trouble !== null) onTrouble(trouble);
    act();
  };
  const timer = setTimeout(
    () => finish(`acknowledged before its commit, which takes longer than ${LIMITS.subscribeCommitMs} ms`),
    LIMITS.subscribeCommitMs,
  );
  stored.then(
    () => finish(null),
    (error: unknown) => finish(`acknowledged, but not on disk: ${String(error)}`),
  );
}

/** Resolves when both are on disk. `retained` is null without a retained message. */
export function bothStored(stored: Promise<void>, retained: Promise<void> | null): Promise<void> {
  return retained === null ? stored : Promise.all([stored, retained]).then(() => undefined);
}
