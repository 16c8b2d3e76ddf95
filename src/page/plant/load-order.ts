interface LoadOrder {
  /** The number of loads that have begun. */
  readonly begun: () => number;
  /** Begins a load. The function that it gives tells whether the load's answer is shown. */
  readonly begin: () => () => boolean;
}

/** Only the newest load counts: the answer to an earlier load is not shown if it comes later. */
export function loadOrder(): LoadOrder {
  let last = 0;
  let shown = 0;
  return {
    begun: () => last,
    begin: () => {
      const load = ++last;
      return () => {
        if (load < shown) return false;
        shown = load;
        return true;
      };
    },
  };
}
