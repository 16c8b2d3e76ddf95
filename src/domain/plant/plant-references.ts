import type { Fault } from '../error.ts';
import { foundText } from '../error.ts';
import { type SlicedWork, visit } from '../sliced-work.ts';
import { PLANT_CODECS } from './plant-codecs.ts';
import type { PlantContents, PlantKind, PlantRecords } from './plant-entry.ts';
import { PLANT_KINDS } from './plant-entry.ts';

/** The field in which a record of one kind refers to a record of another. */
interface Reference<Kind extends PlantKind> {
  readonly field: string;
  readonly target: PlantKind;
  ids(record: PlantRecords[Kind]): readonly (string | null)[];
}

/** A list of `preferredCoilIds` is a wish and may outlive its coils, so it refers to none. */
const REFERENCES: { readonly [Kind in PlantKind]?: readonly Reference<Kind>[] } = {
  machines: [
    { field: 'location', target: 'locations', ids: ({ location }) => [location] },
    { field: 'catalogs', target: 'catalogs', ids: ({ catalogs }) => catalogs.map(String) },
  ],
  parts: [
    {
      field: 'machineRates',
      target: 'machines',
      ids: ({ machineRates = [] }) => machineRates.map(({ machineId }) => machineId),
    },
  ],
  coils: [{ field: 'location', target: 'locations', ids: ({ location }) => [location] }],
  tasks: [
    { field: 'machineId', target: 'machines', ids: ({ machineId }) => [machineId] },
    { field: 'sourceLocation', target: 'locations', ids: ({ sourceLocation }) => [sourceLocation] },
    { field: 'destinationLocation', target: 'locations', ids: ({ destinationLocation }) => [destinationLocation] },
    { field: 'selectedCoilId', target: 'coils', ids: ({ selectedCoilId }) => [selectedCoilId] },
    { field: 'overrideReason', target: 'reasonCodes', ids: ({ overrideReason }) => [overrideReason] },
    { field: 'unattainableReason', target: 'reasonCodes', ids: ({ unattainableReason }) => [unattainableReason] },
  ],
  mqttAccounts: [{ field: 'machines', target: 'machines', ids: ({ machines }) => machines }],
};

/** The name of each kind in a sentence. */
export const KIND_NAMES: { readonly [Kind in PlantKind]: string } = {
  catalogs: 'catalog',
  locations: 'location',
  machines: 'machine',
  parts: 'part',
  downtimeReasons: 'downtime reason',
  reasonCodes: 'reason code',
  coils: 'coil',
  tasks: 'task',
  mqttAccounts: 'MQTT account',
  apiKeys: 'API key',
  users: 'user',
};

/** The faults of `named` records that refer to a record in neither plant; other records are not judged. */
export function* danglingReferences(named: PlantContents, unnamed: PlantContents): SlicedWork<readonly Fault[]> {
  const knownIds = new Map<PlantKind, Set<string>>();
  for (const kind of PLANT_KINDS) {
    const ids = new Set<string>();
    yield* addIds(ids, kind, named);
    yield* addIds(ids, kind, unnamed);
    knownIds.set(kind, ids);
  }
  const faults: (readonly Fault[])[] = [];
  for (const kind of PLANT_KINDS) faults.push(yield* danglingOfKind(kind, named, knownIds));
  return faults.flat();
}

function* addIds<Kind extends PlantKind>(ids: Set<string>, kind: Kind, plant: PlantContents): SlicedWork<void> {
  const { id } = PLANT_CODECS[kind];
  yield* visit<PlantRecords[Kind]>(plant[kind], (record) => ids.add(id(record)));
}

function* danglingOfKind<Kind extends PlantKind>(
  kind: Kind,
  named: PlantContents,
  knownIds: ReadonlyMap<PlantKind, ReadonlySet<string>>,
): SlicedWork<readonly Fault[]> {
  const faults: Fault[] = [];
  for (const { field, target, ids } of REFERENCES[kind] ?? []) {
    const known = knownIds.get(target);
    const expected = `a ${KIND_NAMES[target]} of this plant`;
    yield* visit<PlantRecords[Kind]>(named[kind], (record, place) => {
      for (const id of ids(record)) {
        if (id === null || known?.has(id) === true) continue;
        faults.push({ path: `${kind}[${place}].${field}`, found: foundText(id), expected });
      }
    });
  }
  return faults;
}

/** The records that refer to this one, each as `task T-1`; at most `limit` of them. */
export function referrersOf(plant: PlantContents, target: PlantKind, id: string, limit: number): readonly string[] {
  const referrers = PLANT_KINDS.flatMap((kind) => referrersOfKind(kind, plant, target, id));
  return referrers.slice(0, limit);
}

/** Those of these ids to whose records no other record refers. */
export function* unreferenced(
  plant: PlantContents,
  target: PlantKind,
  ids: readonly string[],
): SlicedWork<readonly string[]> {
  const free: string[] = [];
  yield* visit(ids, (id) => {
    if (referrersOf(plant, target, id, 1).length === 0) free.push(id);
  });
  return free;
}

function referrersOfKind<Kind extends PlantKind>(
  kind: Kind,
  plant: PlantContents,
  target: PlantKind,
  id: string,
): readonly string[] {
  const references = (REFERENCES[kind] ?? []).filter((reference) => reference.target === target);
  if (references.length === 0) return [];
  return plant[kind]
    .filter((record) => references.some(({ ids }) => ids(record).includes(id)))
    .map((record) => `${KIND_NAMES[kind]} ${PLANT_CODECS[kind].id(record)}`);
}
