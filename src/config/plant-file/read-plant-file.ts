import type { Fault } from '../../domain/error.ts';
import { isJsonObject } from '../../domain/json/json.ts';
import type { EntryKind, FileEntries, FileKind, PlantFile } from '../../domain/plant/plant-entry.ts';
import type { Result } from '../../domain/result.ts';
import { parsePath, pathText } from '../../validation/fault-path.ts';
import { schemaCheck } from '../../validation/schema-check.ts';
import type { SchemaFault } from '../../validation/schema-fault.ts';
import type { LocatedFault } from '../located-fault.ts';
import { MAX_PLANT_FILE_BYTES } from '../yaml/yaml-limits.ts';
import { readYaml, type YamlSource } from '../yaml/yaml-source.ts';
import { PLANT_ENTRY_SHAPES } from './plant-entry-checks.ts';
import { ORDER_SCHEMA, PLANT_LISTS_SCHEMA } from './plant-lists-schema.ts';

export type PlantFileReading = Result<
  {
    readonly plantFile: PlantFile;
    /** Gives the places in the file of faults that the plant found. */
    locate(faults: readonly Fault[]): readonly LocatedFault[];
  },
  { readonly faults: readonly LocatedFault[] }
>;

/** The number of reported faults: a thousand show the faults of a generated file. */
export const MAX_PLANT_FAULTS = 1_000;

/** Reads a plant file: gives every record if all have a shape of the contract, or every fault with its place. */
export function readPlantFile(source: string | Uint8Array, file: string): PlantFileReading {
  const yaml = readYaml(source, { file, maxBytes: MAX_PLANT_FILE_BYTES });
  if (!yaml.ok) return yaml;
  const lists = plantLists(yaml.value);
  const reader = new EntryReader(lists.ok ? lists.value : soundLists(yaml.value, lists.faults));
  if (!lists.ok) reader.faults.push(...lists.faults);
  const plantFile: PlantFile = {
    catalogs: reader.read('catalogs'),
    locations: reader.read('locations'),
    machines: reader.read('machines'),
    parts: reader.read('parts'),
    downtimeReasons: reader.read('downtimeReasons'),
    reasonCodes: reader.read('reasonCodes'),
    coils: reader.read('coils'),
    tasks: reader.read('tasks'),
    profiles: reader.read('profiles'),
    orders: reader.readOrders(),
    mqttAccounts: reader.read('mqttAccounts'),
    apiKeys: reader.read('apiKeys'),
    users: reader.read('users'),
  };
  if (reader.faults.length > 0) {
    return { ok: false, faults: reader.faults.slice(0, MAX_PLANT_FAULTS).map((fault) => located(fault, yaml, file)) };
  }
  const locate = (faults: readonly Fault[]) =>
    faults.slice(0, MAX_PLANT_FAULTS).map((fault) => {
      return located({ ...fault, segments: parsePath(fault.path), part: 'value' }, yaml, file);
    });
  return { ok: true, plantFile, locate };
}

class EntryReader {
  readonly faults: SchemaFault[] = [];
  readonly #lists: PlantLists;

  constructor(lists: PlantLists) {
    this.#lists = lists;
  }

  read<Kind extends EntryKind>(kind: Kind): readonly FileEntries[Kind][] {
    const check = PLANT_ENTRY_SHAPES[kind];
    const entries: FileEntries[Kind][] = [];
    for (const [place, value] of (this.#lists[kind] ?? []).entries()) {
      const result = check(value);
      if (result.ok) entries.push(result.value);
      else this.faults.push(...result.faults.map((fault) => within(kind, place, fault)));
    }
    return entries;
  }

  /** Orders as the JSON texts that the store reads. */
  readOrders(): readonly string[] {
    const texts: string[] = [];
    for (const [place, value] of (this.#lists.orders ?? []).entries()) {
      const result = orderShape(value);
      if (result.ok) texts.push(JSON.stringify(value));
      else this.faults.push(...result.faults.map((fault) => within('orders', place, fault)));
    }
    return texts;
  }
}

const orderShape = schemaCheck(ORDER_SCHEMA, 'file', Number.POSITIVE_INFINITY);
const plantLists = schemaCheck(PLANT_LISTS_SCHEMA, 'file', Number.POSITIVE_INFINITY);

type PlantLists = { readonly [Kind in FileKind]?: readonly unknown[] };

/** The lists without a fault of shape, so that a fault elsewhere does not hide faults in them. */
function soundLists(value: unknown, faults: readonly SchemaFault[]): PlantLists {
  if (!isJsonObject(value)) return {};
  const unsound = new Set(faults.map(({ segments: [kind] }) => kind));
  return Object.fromEntries(Object.entries(value).filter(([kind]) => !unsound.has(kind)));
}

function within(kind: FileKind, place: number, fault: SchemaFault): SchemaFault {
  const segments = [kind, place, ...fault.segments];
  return { ...fault, segments, path: pathText(segments) };
}

function located({ segments, part, path, found, expected }: SchemaFault, yaml: YamlSource, file: string): LocatedFault {
  return { file, ...yaml.locate(segments, part), path, found, expected };
}
