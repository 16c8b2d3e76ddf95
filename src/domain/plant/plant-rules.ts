import { type Fault, foundText } from '../error.ts';
import { enclosingRoots, isTopicRoot, TOPIC_ROOT_RULE } from '../machine/machine-names.ts';
import { inOneGo, type SlicedWork, visit } from '../sliced-work.ts';
import type { Catalog, Machine } from './plant.ts';
import { PLANT_CODECS } from './plant-codecs.ts';
import {
  EMPTY_PLANT,
  MAX_RECORDS,
  PLANT_KINDS,
  type PlantContents,
  type PlantEntries,
  type PlantFile,
  type PlantKind,
  type PlantRecords,
} from './plant-entry.ts';
import { danglingReferences, KIND_NAMES } from './plant-references.ts';

/**
 * The faults of the `named` records in a plant that also holds the `unnamed` ones: double names, colliding TopicRoots
 * (MQTT-09), double serial numbers and default catalogs, MQTT accounts that look like machines (D-66), references to missing records, too many records of a kind.
 * Paths are those of the plant file: `machines[3].topicRoot`.
 */
export function checkPlant(named: PlantContents, unnamed: PlantContents = EMPTY_PLANT): readonly Fault[] {
  return inOneGo(plantCheck(named, unnamed));
}

/**
 * Finds the faults of `checkPlant` in slices, because the plant may be large. The default catalog is not judged if catalogs are mirrored: the central server
 * decides which one it is (UP-07).
 */
export function* plantCheck(
  named: PlantContents,
  unnamed: PlantContents,
  isMirrored: (kind: PlantKind) => boolean = () => false,
): SlicedWork<readonly Fault[]> {
  const faults: (readonly Fault[])[] = [];
  for (const kind of PLANT_KINDS) {
    faults.push(limitFaults(kind, named, unnamed), yield* duplicateFaults(kind, named[kind]));
  }
  faults.push(topicRootFaults(named.machines, unnamed.machines));
  yield;
  faults.push(serialNumberFaults(named.machines, unnamed.machines));
  faults.push(...accountFaults(named, unnamed));
  if (!isMirrored('catalogs')) faults.push(defaultCatalogFaults(named.catalogs, unnamed.catalogs));
  faults.push(yield* danglingReferences(named, unnamed));
  return faults.flat();
}

/** The faults of entries that name the same record as another entry of the file. */
export function duplicates(file: PlantFile): readonly Fault[] {
  return PLANT_KINDS.flatMap((kind) => inOneGo(duplicateFaults(kind, file[kind])));
}

function limitFaults(kind: PlantKind, named: PlantContents, unnamed: PlantContents): readonly Fault[] {
  const count = named[kind].length + unnamed[kind].length;
  if (count <= MAX_RECORDS[kind]) return [];
  return [{ path: kind, found: `${count} records`, expected: `at most ${MAX_RECORDS[kind]}` }];
}

function* duplicateFaults<Kind extends PlantKind>(
  kind: Kind,
  named: readonly (PlantEntries[Kind] | PlantRecords[Kind])[],
): SlicedWork<readonly Fault[]> {
  const { id: idOf, idField } = PLANT_CODECS[kind];
  const faults: Fault[] = [];
  const firstPlaces = new Map<string, number>();
  yield* visit(named, (record, place) => {
    const id = idOf(record);
    const first = firstPlaces.get(id);
    if (first === undefined) {
      firstPlaces.set(id, place);
      return;
    }
    const expected = `a ${KIND_NAMES[kind]} once only; ${kind}[${first}] is the same`;
    faults.push({ path: `${kind}[${place}].${idField}`, found: foundText(id), expected });
  });
  return faults;
}

function topicRootFaults(named: readonly Machine[], unnamed: readonly Machine[]): readonly Fault[] {
  const owners = new Map<string, Machine>();
  for (const machine of [...named].reverse()) owners.set(machine.topicRoot, machine);
  for (const machine of unnamed) owners.set(machine.topicRoot, machine);
  const enclosed = enclosedRoots(owners);
  return named.flatMap((machine, place) => {
    const path = `machines[${place}].topicRoot`;
    const found = foundText(machine.topicRoot);
    if (!isTopicRoot(machine.topicRoot)) return [{ path, found, expected: TOPIC_ROOT_RULE }];
    const rival = rivalOf(machine, owners) ?? enclosed.get(machine.topicRoot);
    if (rival === undefined) return [];
    const expected = `a TopicRoot apart from ${foundText(rival.topicRoot)} of machine ${rival.machineId}`;
    return [{ path, found, expected }];
  });
}

/** The machine that has this TopicRoot already, or a TopicRoot around it. */
function rivalOf(machine: Machine, owners: ReadonlyMap<string, Machine>): Machine | undefined {
  for (const root of enclosingRoots(machine.topicRoot)) {
    const owner = owners.get(root);
    if (owner !== undefined && owner !== machine) return owner;
  }
  return undefined;
}

/** For every TopicRoot with another inside it, a machine with such an inner TopicRoot. */
function enclosedRoots(owners: ReadonlyMap<string, Machine>): ReadonlyMap<string, Machine> {
  const enclosed = new Map<string, Machine>();
  for (const machine of owners.values()) {
    for (const root of enclosingRoots(machine.topicRoot)) {
      if (root !== machine.topicRoot && owners.has(root)) enclosed.set(root, machine);
    }
  }
  return enclosed;
}

function serialNumberFaults(named: readonly Machine[], unnamed: readonly Machine[]): readonly Fault[] {
  const owners = new Map<string, Machine>();
  for (const machine of unnamed) if (machine.serialNumber !== null) owners.set(machine.serialNumber, machine);
  const faults: Fault[] = [];
  for (const [place, machine] of named.entries()) {
    if (machine.serialNumber === null) continue;
    const owner = owners.get(machine.serialNumber);
    owners.set(machine.serialNumber, owner ?? machine);
    if (owner === undefined) continue;
    const expected = `a serial number of its own; machine ${owner.machineId} has it`;
    faults.push({ path: `machines[${place}].serialNumber`, found: foundText(machine.serialNumber), expected });
  }
  return faults;
}

/** An account and a machine cannot share a name, or a client id, which would be both (D-66). */
function accountFaults(named: PlantContents, unnamed: PlantContents): readonly (readonly Fault[])[] {
  const machines = new Set<string>([...named.machines, ...unnamed.machines].map(({ machineId }) => machineId));
  const owners = new Map<string, string>();
  for (const { name, clientId } of unnamed.mqttAccounts) if (clientId !== null) owners.set(clientId, name);
  const ofAccounts = named.mqttAccounts.map(({ name, clientId }, place): readonly Fault[] => {
    const at = `mqttAccounts[${place}]`;
    if (machines.has(name)) return [{ path: `${at}.name`, found: foundText(name), expected: APART_FROM_MACHINES }];
    if (clientId === null) return [];
    const path = `${at}.clientId`;
    const found = foundText(clientId);
    if (machines.has(clientId)) return [{ path, found, expected: APART_FROM_MACHINES }];
    const owner = owners.get(clientId);
    owners.set(clientId, owner ?? name);
    return owner === undefined ? [] : [{ path, found, expected: `a client id of its own; account ${owner} has it` }];
  });
  const taken = new Set(unnamed.mqttAccounts.flatMap(({ name, clientId }) => [name, clientId]));
  const ofMachines = named.machines.flatMap(({ machineId }, place): readonly Fault[] => {
    if (!taken.has(machineId)) return [];
    const expected = 'an id that no MQTT account has as its name or client id';
    return [{ path: `machines[${place}].machineId`, found: foundText(machineId), expected }];
  });
  return [...ofAccounts, ofMachines];
}

const APART_FROM_MACHINES = 'a text that is not the id of a machine';

function defaultCatalogFaults(named: readonly Catalog[], unnamed: readonly Catalog[]): readonly Fault[] {
  let owner = unnamed.find((catalog) => catalog.default);
  const faults: Fault[] = [];
  for (const [place, catalog] of named.entries()) {
    if (!catalog.default) continue;
    if (owner !== undefined) {
      const expected = `one default catalog at most; catalog ${owner.catalogId} is it`;
      faults.push({ path: `catalogs[${place}].default`, found: 'true', expected });
    }
    owner ??= catalog;
  }
  return faults;
}
