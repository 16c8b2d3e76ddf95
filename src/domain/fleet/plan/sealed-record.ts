import { PLANT_CODECS } from '../../plant/plant-codecs.ts';
import type { PlantKind } from '../../plant/plant-entry.ts';
import type { SealedRecord } from './fleet-plan.ts';

/** A record of a plan with hashes in the place of its secrets: `hashes` by the fields of the plant's record. */
export function sealed<Kind extends PlantKind>(
  kind: Kind,
  entry: object,
  hashes: Readonly<Record<string, string>>,
): SealedRecord {
  const record: Record<string, unknown> = { ...entry };
  for (const { field, hashField } of PLANT_CODECS[kind].secrets) {
    const hash = hashes[hashField];
    // A badge or PIN of null stays: it removes the one that a person has.
    if (record[field] !== null || hash !== undefined) delete record[field];
    if (hash !== undefined) record[hashField] = hash;
  }
  return record;
}

/** A record of a plan as an entry of a plant file, whose secrets are hashes. */
export function unsealed(kind: PlantKind, record: SealedRecord): SealedRecord {
  const entry: Record<string, unknown> = { ...record };
  for (const { field, hashField } of PLANT_CODECS[kind].secrets) {
    if (entry[hashField] !== undefined) entry[field] = entry[hashField];
    delete entry[hashField];
  }
  return entry;
}

/** A record of a plan for people, in the form of the plant file: without its secrets. */
export function shownRecord(kind: PlantKind, record: SealedRecord): SealedRecord {
  const entry: Record<string, unknown> = { ...record };
  for (const { hashField } of PLANT_CODECS[kind].secrets) delete entry[hashField];
  return entry;
}
