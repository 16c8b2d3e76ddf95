import type { Fault } from '../error.ts';
import { checkOrder } from '../order/check-order.ts';
import { catalogChoice, profileEntryId, seededContent } from '../profile/profile-entry.ts';
import type { PlantFile } from './plant-entry.ts';

/** The fault of a profile without an id whose name cannot be one. */
export function missingProfileId(place: number): Fault {
  return { path: `profiles[${place}].profileId`, found: 'nothing', expected: 'an id, for the name cannot be one' };
}

/** The faults of one entry with their place in the file. */
export function entryFaults(kind: 'profiles' | 'orders', place: number, faults: readonly Fault[]): readonly Fault[] {
  return faults.map((fault) => ({ ...fault, path: `${kind}[${place}].${fault.path}` }));
}

/** The faults of the profiles and orders of a plant file that stands for the whole plant. */
export function libraryFaults({ profiles, orders, catalogs }: PlantFile): readonly Fault[] {
  const choice = catalogChoice(
    catalogs.map(({ catalogId, default: isDefault = false }) => ({ catalogId, default: isDefault })),
  );
  return [
    ...profiles.flatMap((entry, place) => {
      if (profileEntryId(entry) === null) return [missingProfileId(place)];
      const read = seededContent(entry, null, choice);
      return read.ok ? [] : entryFaults('profiles', place, read.error.faults);
    }),
    ...orders.flatMap((text, place) => {
      const checked = checkOrder(text);
      return checked.ok ? [] : entryFaults('orders', place, checked.faults);
    }),
  ];
}
