import { PLANT_ENTRY_SHAPES } from '../../src/config/plant-file/plant-entry-checks.ts';
import { readPlantFile } from '../../src/config/plant-file/read-plant-file.ts';
import type { PlantFile } from '../../src/domain/plant/plant-entry.ts';
import { KeyedMutex } from '../../src/flows/keyed-mutex.ts';
import type { ThumbnailArtist } from '../../src/flows/library/profile-ports.ts';
import { Plant } from '../../src/flows/plant/plant.ts';
import type { SecretHasher } from '../../src/flows/plant/plant-ports.ts';
import type { Log } from '../../src/flows/ports.ts';
import { ReadWriteLock } from '../../src/flows/read-write-lock.ts';
import type { DamagedRecord, PlantRow, StoreRecord } from '../../src/flows/store-ports.ts';

/** A store that keeps plant rows, commits on request, and can be made to fail. */
class PlantStore {
  readonly rows = new Map<string, PlantRow>();
  readonly writes: (readonly PlantRow[])[] = [];
  readonly damaged: DamagedRecord[] = [];
  failure: Error | null = null;
  /** Awaited before each commit. */
  beforeCommit: () => Promise<void> = () => Promise.resolve();

  async write(records: readonly StoreRecord[]): Promise<void> {
    await this.beforeCommit();
    if (this.failure !== null) throw this.failure;
    const rows = records.flatMap((record) => (record.kind === 'plant' ? [record.row] : []));
    this.writes.push(rows);
    for (const row of rows) this.rows.set(`${row.kind}/${row.id}`, row);
  }

  record(records: readonly StoreRecord[]): void {
    for (const record of records) if (record.kind === 'damaged') this.damaged.push(record.record);
  }

  // There are no coils, tasks and profiles: other tests check them with the store itself.
  coil = async () => null;
  task = async () => null;
  profilesIn = async () => [];
  profile = async () => null;
  profileRecords = () => Promise.reject(new Error('no profiles'));
  seedOrders = async () => ({ seeds: [], orders: 0 });
  orderRecords = () => Promise.reject(new Error('no orders'));
  idsInAnyCase = async () => [];
  coilsOf = async () => [];
  seedChanges = async () => [];
  warehouseCounts = async () => ({ coils: 0, tasks: 0 });
  warehouseReferrers = async () => [];
  warehouseRecords = () => Promise.reject(new Error('no coils and no tasks'));

  stored(): readonly PlantRow[] {
    return [...this.rows.values()];
  }
}

/** Readable hashes, which show the secret and the strength; counts the hashed secrets. */
class ReadableSecrets implements SecretHasher {
  hashed = 0;

  async hash(strength: string, secret: string): Promise<string> {
    this.hashed++;
    return `${strength}:${this.hashed}:${Buffer.from(secret).toString('hex')}`;
  }

  readonly verify = async (hash: string, secret: string): Promise<boolean> =>
    hash.endsWith(`:${Buffer.from(secret).toString('hex')}`);
}

class CollectedLog implements Log {
  readonly lines: string[] = [];
  debug = (_fields: object, message: string) => void this.lines.push(message);
  info = (_fields: object, message: string) => void this.lines.push(message);
  warn = (_fields: object, message: string) => void this.lines.push(message);
  error = (_fields: object, message: string) => void this.lines.push(message);
}

/** The ports of a plant besides its store; pictures are empty. */
export const plantTools = {
  artist: { draw: async () => 'data:image/png;base64,' } satisfies ThumbnailArtist,
  profileMutex: new KeyedMutex('profile', 100),
  catalogLock: new ReadWriteLock(),
  clock: { now: () => ({ monotonicMs: performance.now(), wallMs: Date.now() }) },
};

/** `isMirrored` tells which kinds the central server decides about. */
export function openPlant(rows: readonly PlantRow[] = [], isMirrored: (kind: string) => boolean = () => false) {
  const store = new PlantStore();
  for (const row of rows) store.rows.set(`${row.kind}/${row.id}`, row);
  const secrets = new ReadableSecrets();
  const log = new CollectedLog();
  const plant = new Plant(rows, { store, secrets, log, shapes: PLANT_ENTRY_SHAPES, isMirrored, ...plantTools });
  return { plant, store, secrets, log };
}

export function plantFile(yaml: string): PlantFile {
  const reading = readPlantFile(yaml, 'plant.yaml');
  if (!reading.ok) throw new Error(JSON.stringify(reading.faults));
  return reading.plantFile;
}
