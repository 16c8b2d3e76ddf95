import { PLANT_CODECS } from '../domain/plant-codecs.ts';
import {
  EMPTY_PLANT,
  PLANT_KINDS,
  type PlantContents,
  type PlantKind,
  type PlantRecords,
  plantContents,
} from '../domain/plant-entry.ts';
import type { StoreRecord } from './ports.ts';

type RecordsById = { readonly [Kind in PlantKind]: ReadonlyMap<string, PlantRecords[Kind]> };

/** What becomes of records, by kind and id; null removes one. */
export type PlantChanges = { readonly [Kind in PlantKind]: ReadonlyMap<string, PlantRecords[Kind] | null> };

/** The plant at one moment; it never changes. */
export class PlantState {
  readonly contents: PlantContents;
  readonly #byId: RecordsById;

  /** Of the plant before, what is the same is taken over. */
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

  /** What `named` does not name. */
  without(named: PlantContents): PlantContents {
    return plantContents((kind) => {
      if (named[kind].length === 0) return this.contents[kind];
      const names = new Set(named[kind].map((record) => PLANT_CODECS[kind].id(record)));
      return this.contents[kind].filter((record) => !names.has(PLANT_CODECS[kind].id(record)));
    });
  }

  /** The changes that make the plant hold these records: none for those that are so already. */
  changesTo(named: PlantContents): PlantChanges {
    return {
      catalogs: this.#changesOf('catalogs', named),
      locations: this.#changesOf('locations', named),
      machines: this.#changesOf('machines', named),
      parts: this.#changesOf('parts', named),
      downtimeReasons: this.#changesOf('downtimeReasons', named),
      reasonCodes: this.#changesOf('reasonCodes', named),
      coils: this.#changesOf('coils', named),
      tasks: this.#changesOf('tasks', named),
      apiKeys: this.#changesOf('apiKeys', named),
      users: this.#changesOf('users', named),
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
      return [...records.values()];
    });
    return new PlantState(contents, this);
  }

  #changesOf<Kind extends PlantKind>(kind: Kind, named: PlantContents): ReadonlyMap<string, PlantRecords[Kind]> {
    const changed = new Map<string, PlantRecords[Kind]>();
    for (const record of named[kind]) {
      const id = PLANT_CODECS[kind].id(record);
      if (JSON.stringify(record) !== JSON.stringify(this.find(kind, id))) changed.set(id, record);
    }
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
  apiKeys: new Map(),
  users: new Map(),
};

export function removal(kind: PlantKind, id: string): PlantChanges {
  return { ...NO_CHANGES, [kind]: new Map([[id, null]]) };
}

/** Changes as rows of the store, what is referred to before what refers to it. */
export function storeRecords(changes: PlantChanges): readonly StoreRecord[] {
  return PLANT_KINDS.flatMap((kind) =>
    [...changes[kind]].map(([id, record]): StoreRecord => {
      return { kind: 'plant', row: { kind, id, json: record === null ? null : JSON.stringify(record) } };
    }),
  );
}

function indexById<Kind extends PlantKind>(
  kind: Kind,
  contents: PlantContents,
): ReadonlyMap<string, PlantRecords[Kind]> {
  return new Map(contents[kind].map((record) => [PLANT_CODECS[kind].id(record), record]));
}
