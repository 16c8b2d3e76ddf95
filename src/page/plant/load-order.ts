interface LoadOrder {
  /** The number of loads that have begun. */
  readonly begun: () => number;
  /** Begins a load. The function that it gives tells whether the load's answer is shown. */
  readonly begin: () => () => boolean;
}

/** An answer is not shown once the answer to a later load was. */
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
