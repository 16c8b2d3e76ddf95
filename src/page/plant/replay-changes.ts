interface ReplayedChanges<T> {
  /** Shows a change, now and again after each load that is on its way. */
  readonly note: (change: T) => void;
  /** Gives what `ask` gave. */
  readonly load: <Answer>(ask: () => Promise<Answer>) => Promise<Answer>;
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
      const answer = await ask();
      openLoads--;
      changes.forEach(show);
      if (openLoads === 0) changes = [];
      return answer;
    },
  };
}
