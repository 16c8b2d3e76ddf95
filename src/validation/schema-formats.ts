import { machineId } from '../domain/machine/machine-names.ts';
import { isLocalDateTime, isUtcDateTime } from '../domain/plant/plant-date-time.ts';

/** Formats of texts. The code that reads a `date-time` reports its faults itself; the format is for the documents. */
export const SCHEMA_FORMATS = {
  'date-time': true as const,
  'machine-id': (text: string) => machineId(text) !== null,
  'utc-date-time': isUtcDateTime,
  'local-date-time': isLocalDateTime,
};

/**
 * Whether a list has an entry twice. The time grows with the length of the list, not with its square: a client may send
 * a list of ten thousand objects. Objects with their fields in another order are different entries.
 */
export function hasDoubleEntry(list: readonly unknown[]): boolean {
  return new Set(list.map((entry) => JSON.stringify(entry))).size < list.length;
}
