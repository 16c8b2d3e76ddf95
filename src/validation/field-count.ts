/** More fields than any valid object has. Naming thousands of unknown ones would delay machines. */
export const MAX_FIELDS = 1_000;

/** The number of fields of an object; 0 for a list, which its schema judges, and for every other value. */
export function fieldCount(value: unknown): number {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? Object.keys(value).length : 0;
}
