import { type Fault, foundText } from '../error.ts';
import type { Coil } from '../plant/plant.ts';

const DIMENSIONS = [
  'gauge',
  'widthIn',
  'lengthStartFt',
  'lengthRemainingFt',
] as const satisfies readonly (keyof Coil)[];

/**
 * The faults of moving a coil to a location (COIL-04). The coil needs an extended record: its dimensions and lengths
 * have to be known, not only its id and location (D-19). A coil that is there already may be moved there again.
 */
export function coilMoveFaults(coil: Coil, location: string, isLocation: (code: string) => boolean): readonly Fault[] {
  return [...locationFaults(location, isLocation), ...extendedRecordFaults(coil)];
}

function extendedRecordFaults(coil: Coil): readonly Fault[] {
  const unknown = DIMENSIONS.filter((field) => coil[field] === null);
  if (unknown.length === 0) return [];
  const found = `${foundText(coil.coilId)} without ${unknown.join(', ')}`;
  return [{ path: 'coilId', found, expected: 'a coil with an extended record' }];
}

/** The fault of a place that does not exist (TASK-14, COIL-04). */
export function locationFaults(location: string, isLocation: (code: string) => boolean): readonly Fault[] {
  if (isLocation(location)) return [];
  return [{ path: 'location', found: foundText(location), expected: 'the code of an existing location' }];
}
