import type { SecretStrength } from '../../domain/plant/plant-codec.ts';
import type { EntryKind, FileEntries, FileKind, PlantFile, PlantKind } from '../../domain/plant/plant-entry.ts';
import type { Result } from '../../domain/result.ts';
import type { KeyedMutex } from '../keyed-mutex.ts';
import type { ThumbnailArtist } from '../library/profile-ports.ts';
import type { OrderSeedQueries } from '../orders/order-ports.ts';
import type { Clock, Log, SecretVerifier } from '../ports.ts';
import type { ReadWriteLock } from '../read-write-lock.ts';
import type { Store } from '../store-ports.ts';
import type { WarehousePlantQueries } from '../warehouse/warehouse-ports.ts';

/** Reads one record as a person wrote it, or gives all faults of its shape. */
type EntryShape<Entry> = (value: unknown) => Result<{ readonly value: Entry }>;

type PlantShapes = { readonly [Kind in EntryKind]: EntryShape<FileEntries[Kind]> };

export interface SecretHasher {
  hash(strength: SecretStrength, secret: string): Promise<string>;
  readonly verify: SecretVerifier;
}

type ProfileSeedQuery = 'profile' | 'profilesIn' | 'profileRecords';

/** The plant's ports to the outside. */
export interface PlantPorts {
  readonly store: Pick<
    Store,
    'write' | 'record' | 'coil' | 'task' | ProfileSeedQuery | keyof OrderSeedQueries | keyof WarehousePlantQueries
  >;
  readonly shapes: PlantShapes;
  readonly secrets: SecretHasher;
  /** Draws the profiles that a plant file brings. */
  readonly artist: ThumbnailArtist;
  /** Edits of one profile run one after the other. */
  readonly profileMutex: KeyedMutex;
  /** Read by flows that put a profile into a catalog, written by the removal of a catalog. */
  readonly catalogLock: ReadWriteLock;
  /** Whether the central server decides about a kind (UP-07); without a central server it decides about none. */
  readonly isMirrored?: (kind: string) => boolean;
  /** The plants that keys and people can be for; without a list the first one alone. */
  readonly plantIds?: readonly string[];
  readonly clock: Clock;
  readonly log: Log;
}

/** Records to add and change, whose secrets are hashes, and records that go. */
export interface PlantWork {
  readonly file: PlantFile;
  readonly gone: readonly { readonly kind: PlantKind; readonly id: string }[];
}

/** One record that is added or changed; `fields` names its changed fields, a secret only by its name. */
export interface RecordDifference {
  readonly kind: FileKind;
  readonly id: string;
  readonly change: 'create' | 'update';
  readonly fields: readonly string[];
}

/** The number of records of a kind that a load named, and their outcomes; the others are unchanged. */
interface KindCount {
  readonly kind: FileKind;
  readonly named: number;
  readonly created: number;
  readonly updated: number;
}

/** The result of a load, or of its dry run. */
export interface LoadOutcome {
  readonly counts: readonly KindCount[];
  /** The first changes; `counts` counts all. */
  readonly changes: readonly RecordDifference[];
}
