/**
 * Whether a list has an entry twice. The time grows with the length of the list, not with its square: a client may send
 * a list of ten thousand objects. Objects with their fields in another order are different entries.
 */
export function hasDoubleEntry(list: readonly unknown[]): boolean {
  return new Set(list.map((entry) => JSON.stringify(entry))).size < list.length;
}
