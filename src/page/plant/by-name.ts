const order = new Intl.Collator(undefined, { numeric: true });

/** Orders names as people count: `Line 2` before `Line 10`. */
export function byName(one: string, other: string): number {
  return order.compare(one, other);
}
