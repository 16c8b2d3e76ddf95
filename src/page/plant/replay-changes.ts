interface ReplayedChanges<T> {
  /** Shows a change, now and again after each load that is on its way. */
  readonly note: (change: T) => void;
  /** Gives what `ask` gave. `ask` calls `replay` if it shows its answer, after that. */
  readonly load: <Answer>(ask: (replay: () => void) => Promise<Answer>) => Promise<Answer>;
}

/**
 * Shows changes again after each load during which they came: the loaded answer may be older than they are. It is newer
 * than the changes from before its load.
 */
export function replayChanges<T>(show: (change: T) => void): ReplayedChanges<T> {
  let openLoads = 0;
  let changes: readonly T[] = [];
  return {
    note: (change) => {
      if (openLoads > 0) changes = [...changes, change];
      show(change);
    },
    load: async (ask) => {
      openLoads++;
      const before = changes.length;
      const answer = await ask(() => changes.slice(before).forEach(show));
      openLoads--;
      if (openLoads === 0) changes = [];
      return answer;
    },
  };
}
