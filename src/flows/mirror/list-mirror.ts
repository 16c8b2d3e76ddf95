import { lossesAfter, type Misses } from '../../domain/mirror/losses.ts';
import { MirrorFault, type MirrorFetch } from './mirror-fetch.ts';
import type { ListRead, MirroredList, MirroredRecords, MirrorQueries } from './mirror-ports.ts';

const PATHS: Readonly<Record<MirroredList, string>> = {
  reasonCodes: '/api/v1/warehouseTasks/reasonCodes',
  locations: '/api/v1/warehouseTasks/locations',
  catalogs: '/api/v1/catalogs',
};

/** The part of the plant that the central server decides. */
export interface MirroredPlant {
  ids(kind: MirroredList): readonly string[];
  /** Adds and changes the records of the list, and removes those that are gone; resolves once that is on disk. */
  mirror(list: MirroredRecords, gone: readonly string[]): Promise<void>;
}

export interface ListMirrorOptions {
  readonly fetch: MirrorFetch;
  readonly store: Pick<MirrorQueries, 'mirrorList' | 'mirrorListTaken'>;
  readonly plant: MirroredPlant;
  readonly onRefused: (kind: MirroredList, faults: readonly string[]) => void;
}

/** Mirrors the lists that are held in memory. */
export class ListMirror {
  readonly #options: ListMirrorOptions;
  readonly #misses = new Map<MirroredList, Misses>();

  constructor(options: ListMirrorOptions) {
    this.#options = options;
  }

  /** False: the server has no such list. Rejects with MirrorFault, and nothing was changed. */
  async read(kind: MirroredList): Promise<boolean> {
    const { fetch, store } = this.#options;
    const fetched = await fetch.get(PATHS[kind]);
    if (fetched.kind === 'absent') return false;
    if (fetched.kind === 'unchanged') return true;
    const read = await store.mirrorList(kind, fetched.bytes);
    if (read.kind === 'fault') throw new MirrorFault(`${PATHS[kind]}: ${read.detail}`);
    if (read.kind === 'read') await this.#take(kind, read);
    // Only another reading of the same list removes the records that it lacks.
    if (this.#misses.has(kind)) return true;
    await store.mirrorListTaken(kind);
    fetched.noteTaken();
    return true;
  }

  async #take(kind: MirroredList, read: Extract<ListRead, { kind: 'read' }>): Promise<void> {
    const { plant, onRefused } = this.#options;
    if (read.refused.length > 0) onRefused(kind, read.refused);
    const listed = new Set([...idsOf(read.list), ...read.refusedIds]);
    const present = plant.ids(kind);
    const missing = present.filter((id) => !listed.has(id));
    const { misses, gone } = lossesAfter(this.#misses.get(kind) ?? new Map(), missing, present.length);
    await plant.mirror(read.list, gone);
    if (misses.size > 0) this.#misses.set(kind, misses);
    else this.#misses.delete(kind);
  }
}

function idsOf(list: MirroredRecords): readonly string[] {
  switch (list.of) {
    case 'reasonCodes':
      return list.records.map(({ id }) => id);
    case 'locations':
      return list.records.map(({ code }) => code);
    case 'catalogs':
      return list.records.map(({ catalogId }) => String(catalogId));
  }
}
