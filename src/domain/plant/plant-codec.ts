import type { PlantEntries, PlantKind, PlantRecords } from './plant-entry.ts';

/**
 * The cost of guessing: random keys are hashed fast, passwords slowly, and a person's password the slowest. A badge
 * names no person, so it is compared with all badges.
 */
export type SecretStrength = 'key' | 'devicePassword' | 'badge' | 'personPassword';

/** The place of a secret in a kind of record: in the clear in its entry, as a hash in its record (AUTH-02). */
interface SecretSlot<Kind extends PlantKind> {
  /** The field of the entry. */
  readonly field: string;
  /** The field of the record. */
  readonly hashField: string;
  readonly strength: SecretStrength;
  /** A record of this kind is of no use without it. */
  readonly required: boolean;
  given(entry: PlantEntries[Kind]): string | undefined;
  hash(record: PlantRecords[Kind]): string | null;
  withHash(record: PlantRecords[Kind], hash: string): PlantRecords[Kind];
}

/** Reads and writes one kind of plant record. */
export interface PlantCodec<Kind extends PlantKind> {
  /** The field that names the record. */
  readonly idField: string;
  id(entry: PlantEntries[Kind]): string;
  /** The record that an entry describes. It keeps only the live state and hashes of the existing record. */
  record(entry: PlantEntries[Kind], existing: PlantRecords[Kind] | undefined): PlantRecords[Kind];
  /** The record for people: without hashes, and in a form that can be given back as an entry. */
  view(record: PlantRecords[Kind]): PlantEntries[Kind];
  readonly secrets: readonly SecretSlot<Kind>[];
}
