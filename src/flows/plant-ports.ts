import type { Fault } from '../domain/error.ts';
import type { SecretStrength } from '../domain/plant-codec.ts';
import type { PlantEntries, PlantKind } from '../domain/plant-entry.ts';
import type { Log, SecretVerifier, Store } from './ports.ts';
import type { WarehousePlantQueries } from './warehouse-ports.ts';

/** Reads one record as a person wrote it, or says everything that is wrong with its shape. */
type EntryShape<Entry> = (
  value: unknown,
) => { readonly ok: true; readonly value: Entry } | { readonly ok: false; readonly faults: readonly Fault[] };

type PlantShapes = { readonly [Kind in PlantKind]: EntryShape<PlantEntries[Kind]> };

export interface SecretHasher {
  hash(strength: SecretStrength, secret: string): Promise<string>;
  readonly verify: SecretVerifier;
}

/** What a plant needs from outside. */
export interface PlantPorts {
  readonly store: Pick<Store, 'write' | 'coil' | 'task' | 'profilesIn' | keyof WarehousePlantQueries>;
  readonly shapes: PlantShapes;
  readonly secrets: SecretHasher;
  readonly log: Log;
}
