import type { Fault } from '../error.ts';
import { PLANT_CODECS } from './plant-codecs.ts';
import { PLANT_KINDS, type PlantEntries, type PlantFile, type PlantKind, type PlantRecords } from './plant-entry.ts';

/**
 * The record after a plant file: fields that the entry does not name stay unchanged, and so does live state
 * (contract.md, Plant file).
 */
export function mergedRecord<Kind extends PlantKind>(
  kind: Kind,
  entry: PlantEntries[Kind],
  existing: PlantRecords[Kind] | undefined,
): PlantRecords[Kind] {
  const { record, view } = PLANT_CODECS[kind];
  if (existing === undefined) return record(entry, undefined);
  // A part that the file names is confirmed by that, unless the file says otherwise (D-09).
  const confirmed = kind === 'parts' ? { isNew: false } : {};
  return record({ ...view(existing), ...confirmed, ...entry }, existing);
}

/** The fields of a record that changed; all fields of a new record. */
export function changedFields(before: object | undefined, after: object): readonly string[] {
  const present = new Map<string, unknown>(Object.entries(before ?? {}));
  return Object.entries(after)
    .filter(([field, value]) => JSON.stringify(value) !== JSON.stringify(present.get(field)))
    .map(([field]) => field);
}

/** The faults of entries that need a secret and give none, because none is stored for them yet. */
export function missingSecrets(
  file: PlantFile,
  isStored: (kind: PlantKind, id: string) => boolean = () => false,
): readonly Fault[] {
  return PLANT_KINDS.flatMap((kind) => missingSecretsOfKind(kind, file[kind], (id) => isStored(kind, id)));
}

function missingSecretsOfKind<Kind extends PlantKind>(
  kind: Kind,
  entries: readonly PlantEntries[Kind][],
  isStored: (id: string) => boolean,
): readonly Fault[] {
  const { secrets, id } = PLANT_CODECS[kind];
  const required = secrets.filter((slot) => slot.required);
  if (required.length === 0) return [];
  return entries.flatMap((entry, place) => {
    const missing = isStored(id(entry)) ? [] : required.filter((slot) => slot.given(entry) === undefined);
    return missing.map(({ field }) => {
      return { path: `${kind}[${place}].${field}`, found: 'nothing', expected: 'a secret, for none is stored yet' };
    });
  });
}
