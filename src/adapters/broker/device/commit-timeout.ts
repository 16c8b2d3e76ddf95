import { errorMessage } from '../../../domain/error-text.ts';
import { LIMITS } from '../limits.ts';

/**
 * Calls `act` once, when `stored` is on disk. It does not wait for a disk that fails or stands still: then it calls
 * `onTrouble`, and `act` anyway. Without `stored` it calls `act` at once.
 */
export function whenStoredOrTimeout(
  stored: Promise<void> | null,
  onTrouble: (detail: string) => void,
  act: () => void,
): void {
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
    (error: unknown) => finish(`acknowledged, but not on disk: ${errorMessage(error)}`),
  );
}

/** Resolves when both are on disk. Null means that nothing is to be stored. */
export function bothStored(one: Promise<void>, other: Promise<void> | null): Promise<void>;
export function bothStored(one: Promise<void> | null, other: Promise<void> | null): Promise<void> | null;
export function bothStored(one: Promise<void> | null, other: Promise<void> | null): Promise<void> | null {
  if (one === null || other === null) return one ?? other;
  return Promise.all([one, other]).then(() => undefined);
}
