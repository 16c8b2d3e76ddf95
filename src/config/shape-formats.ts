import { machineId } from '../domain/machine/machine-names.ts';
import { isLocalDateTime, isUtcDateTime } from '../domain/plant/plant-date-time.ts';

/** Formats of texts in the configuration and in plant files. */
export const SHAPE_FORMATS = {
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
