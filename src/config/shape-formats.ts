import { machineId } from '../domain/machine/machine-id.ts';
import { isLocalDateTime, isUtcDateTime } from '../domain/plant/plant-date-time.ts';

/** Formats of texts in the configuration and in plant files. */
export const SHAPE_FORMATS = {
  'machine-id': (text: string) => machineId(text) !== null,
  'utc-date-time': isUtcDateTime,
  'local-date-time': isLocalDateTime,
};
