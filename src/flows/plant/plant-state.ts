import { PLANT_CODECS } from '../../domain/plant/plant-codecs.ts';
import {
  EMPTY_PLANT,
  PLANT_KINDS,
  type PlantContents,
  type PlantEntries,
  type PlantFile,
  type PlantKind,
  type PlantRecords,
  plantContents,
} from '../../domain/plant/plant-entry.ts';
import { mergedRecord } from '../../domain/plant/plant-merge.ts';
import { mapped, type SlicedWork, visit } from '../../domain/sliced-work.ts';
import type { StoreRecord } from '../store-ports.ts';

type RecordsById = { readonly [Kind in PlantKind]: ReadonlyMap<string, PlantRecords[Kind]> };

/** Records after a change, by kind and id; null removes one. */
export type PlantChanges = { readonly [Kind in PlantKind]: ReadonlyMap<string, PlantRecords[Kind] | null> };

/** The plant at one moment; it never changes. The records of each kind are in the order of their ids (D-54). */
export class PlantState {
  readonly contents: PlantContents;
  readonly #byId: RecordsById;

  /** Takes over the unchanged records of the plant before. */
  constructor(contents: PlantContents = EMPTY_PLANT, before?: PlantState) {
    const byId = <Kind extends PlantKind>(kind: Kind): ReadonlyMap<string, PlantRecords[Kind]> => {
      return before?.contents[kind] === contents[kind] ? before.#byId[kind] : indexById(kind, contents);
    };
    this.contents = contents;
    this.#byId = {
      catalogs: byId('catalogs'),
      locations: byId('locations'),
      machines: byId('machines'),
      parts: byId('parts'),
      downtimeReasons: byId('downtimeReasons'),
      reasonCodes: byId('reasonCodes'),
      coils: byId('coils'),
      tasks: byId('tasks'),
      mqttAccounts: byId('mqttAccounts'),
      apiKeys: byId('apiKeys'),
      users: byId('users'),
    };
  }

  find<Kind extends PlantKind>(kind: Kind, id: string): PlantRecords[Kind] | undefined {
    return this.#byId[kind].get(id);
  }

  ids(kind: PlantKind): readonly string[] {
    return [...this.#byId[kind].keys()];
  }

  /** The present records merged with those of a plant file. */
  *merged(file: PlantFile): SlicedWork<PlantContents> {
    return {
      catalogs: yield* this.#mergedOf('catalogs', file),
      locations: yield* this.#mergedOf('locations', file),
      machines: yield* this.#mergedOf('machines', file),
      parts: yield* this.#mergedOf('parts', file),
      downtimeReasons: yield* this.#mergedOf('downtimeReasons', file),
      reasonCodes: yield* this.#mergedOf('reasonCodes', file),
      coils: yield* this.#mergedOf('coils', file),
      tasks: yield* this.#mergedOf('tasks', file),
      mqttAccounts: yield* this.#mergedOf('mqttAccounts', file),
      apiKeys: yield* this.#mergedOf('apiKeys', file),
      users: yield* this.#mergedOf('users', file),
    };
  }

  /** The records that `named` does not name. */
  without(named: PlantContents): PlantContents {
    return plantContents((kind) => {
      if (named[kind].length === 0 || this.contents[kind].length === 0) return this.contents[kind];
      const names = new Set(named[kind].map((record) => PLANT_CODECS[kind].id(record)));
      return this.contents[kind].filter((record) => !names.has(PLANT_CODECS[kind].id(record)));
    });
  }

  /** The changes that bring these records into the plant: none for equal ones. */
  *changesTo(named: PlantContents): SlicedWork<PlantChanges> {
    return {
      catalogs: yield* this.#changesOf('catalogs', named),
      locations: yield* this.#changesOf('locations', named),
      machines: yield* this.#changesOf('machines', named),
      parts: yield* this.#changesOf('parts', named),
      downtimeReasons: yield* this.#changesOf('downtimeReasons', named),
      reasonCodes: yield* this.#changesOf('reasonCodes', named),
      coils: yield* this.#changesOf('coils', named),
      tasks: yield* this.#changesOf('tasks', named),
      mqttAccounts: yield* this.#changesOf('mqttAccounts', named),
      apiKeys: yield* this.#changesOf('apiKeys', named),
      users: yield* this.#changesOf('users', named),
    };
  }

  after(changes: PlantChanges): PlantState {
    const contents = plantContents((kind) => {
      if (changes[kind].size === 0) return this.contents[kind];
      const records = new Map(this.#byId[kind]);
      for (const [id, record] of changes[kind]) {
        if (record === null) records.delete(id);
        else records.set(id, record);
      }
      return inIdOrder(kind, [...records.values()]);
    });
    return new PlantState(contents, this);
  }

  #mergedOf<Kind extends PlantKind>(kind: Kind, file: PlantFile): SlicedWork<readonly PlantRecords[Kind][]> {
    const { id } = PLANT_CODECS[kind];
    return mapped<PlantEntries[Kind], PlantRecords[Kind]>(file[kind], (entry) =>
      mergedRecord(kind, entry, this.find(kind, id(entry))),
    );
  }

  *#changesOf<Kind extends PlantKind>(
    kind: Kind,
    named: PlantContents,
  ): SlicedWork<ReadonlyMap<string, PlantRecords[Kind]>> {
    const changed = new Map<string, PlantRecords[Kind]>();
    yield* visit<PlantRecords[Kind]>(named[kind], (record) => {
      const id = PLANT_CODECS[kind].id(record);
      if (JSON.stringify(record) !== JSON.stringify(this.find(kind, id))) changed.set(id, record);
    });
    return changed;
  }
}

export const NO_CHANGES: PlantChanges = {
  catalogs: new Map(),
  locations: new Map(),
  machines: new Map(),
  parts: new Map(),
  downtimeReasons: new Map(),
  reasonCodes: new Map(),
  coils: new Map(),
  tasks: new Map(),
  mqttAccounts: new Map(),
  apiKeys: new Map(),
  users: new Map(),
};

export function removal(kind: PlantKind, id: string): PlantChanges {
  return { ...NO_CHANGES, [kind]: new Map([[id, null]]) };
}

/** The changes, and the removal of these records. */
export function withoutGone(
  changes: PlantChanges,
  gone: readonly { readonly kind: PlantKind; readonly id: string }[],
): PlantChanges {
  let all = changes;
  for (const [kind, names] of Map.groupBy(gone, (name) => name.kind)) {
    all = { ...all, [kind]: new Map<string, unknown>([...all[kind], ...names.map(({ id }) => [id, null] as const)]) };
  }
  return all;
}

/** Changes as rows of the store, each record before those that refer to it. */
export function* storeRecords(changes: PlantChanges): SlicedWork<readonly StoreRecord[]> {
  const records: StoreRecord[] = [];
  for (const kind of PLANT_KINDS) {
    yield* visit<readonly [string, object | null]>(changes[kind], ([id, record]) => {
      const json = record === null ? null : JSON.stringify(record);
      records.push({ kind: 'plant', row: { kind, id, json } });
    });
  }
  return records;
}

/** Records by their ids: the ids of catalogs are numbers, all others are texts. Quick if they are in that order already. */
export function inIdOrder<Kind extends PlantKind>(
  kind: Kind,
  records: PlantRecords[Kind][],
): readonly PlantRecords[Kind][] {
  const { id } = PLANT_CODECS[kind];
  if (kind === 'catalogs') return records.sort((one, other) => Number(id(one)) - Number(id(other)));
  return records.sort((one, other) => (id(one) < id(other) ? -1 : 1));
}

function indexById<Kind extends PlantKind>(
  kind: Kind,
  contents: PlantContents,
): ReadonlyMap<string, PlantRecords[Kind]> {
  return new Map(contents[kind].map((record) => [PLANT_CODECS[kind].id(record), record]));
}
