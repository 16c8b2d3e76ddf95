interface ReplayedChanges<T> {
  /** Shows a change, now and again after each load that is on its way. */
  readonly note: (change: T) => void;
  readonly load: (ask: () => Promise<void>) => Promise<void>;
}

/** Shows changes again after each load during which they came: the loaded answer may be older than they are. */
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
      await ask();
      openLoads--;
      changes.forEach(show);
      if (openLoads === 0) changes = [];
    },
  };
}
