interface OnTop<T> {
  /** Shows a change, now and again after each load that is on its way. */
  readonly note: (change: T) => void;
  readonly load: (ask: () => Promise<void>) => Promise<void>;
}

/** Changes that come while something loads belong on top of what is loaded: the answer may be older. */
export function onTop<T>(show: (change: T) => void): OnTop<T> {
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
