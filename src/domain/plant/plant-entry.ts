import type { ProfileEntry } from '../profile/profile-entry.ts';
import type {
  ApiKey,
  Catalog,
  Coil,
  DowntimeReason,
  Location,
  Machine,
  MqttAccount,
  Part,
  ReasonCode,
  Role,
  Task,
  User,
} from './plant.ts';

/** The plant's records by their kind in the plant file. */
export interface PlantRecords {
  readonly catalogs: Catalog;
  readonly locations: Location;
  readonly machines: Machine;
  readonly parts: Part;
  readonly downtimeReasons: DowntimeReason;
  readonly reasonCodes: ReasonCode;
  readonly coils: Coil;
  readonly tasks: Task;
  readonly mqttAccounts: MqttAccount;
  readonly apiKeys: ApiKey;
  readonly users: User;
}

export type PlantKind = keyof PlantRecords;

/** Every kind, each before the kinds that refer to it. */
export const PLANT_KINDS = [
  'catalogs',
  'locations',
  'machines',
  'parts',
  'downtimeReasons',
  'reasonCodes',
  'coils',
  'tasks',
  'mqttAccounts',
  'apiKeys',
  'users',
] as const satisfies readonly PlantKind[];

type WithRequired<T, Required extends keyof T> = Pick<T, Required> & Partial<Omit<T, Required>>;

/**
 * A record as a person writes it, in the plant file or over `/api/local/plant`: fields with a default may be left out, and
 * secrets stand in the clear.
 */
export interface PlantEntries {
  readonly catalogs: WithRequired<Catalog, 'catalogId' | 'name'>;
  readonly locations: Location;
  readonly machines: WithRequired<
    Omit<Machine, 'registrationKeyHash' | 'mqttPasswordHash'>,
    'machineId' | 'topicRoot'
  > & { readonly registrationKey?: string; readonly mqttPassword?: string };
  readonly parts: WithRequired<Part, 'partId'>;
  readonly downtimeReasons: WithRequired<DowntimeReason, 'id' | 'reason'>;
  readonly reasonCodes: ReasonCode;
  readonly coils: WithRequired<Coil, 'coilId' | 'location'>;
  readonly tasks: WithRequired<
    Task,
    | 'taskId'
    | 'machineId'
    | 'taskType'
    | 'coilType'
    | 'requiredFt'
    | 'sourceLocation'
    | 'destinationLocation'
    | 'requiredDate'
  >;
  readonly mqttAccounts: WithRequired<Omit<MqttAccount, 'passwordHash'>, 'name'> & { readonly password?: string };
  /** A key without an id is the principal's only key: its id is the principal. */
  readonly apiKeys: WithRequired<Omit<ApiKey, 'keyHash'>, 'principal' | 'role'> & { readonly key?: string };
  /** A badge or PIN of null removes it; one that is left out stays. */
  readonly users: {
    readonly name: string;
    readonly role: Role;
    readonly password?: string;
    readonly badge?: string | null;
    readonly pin?: string | null;
    readonly plants?: readonly string[];
  };
}

/** The content of a plant file: the plant's records, and profiles and orders, which are stored in their own ways. */
export interface FileEntries extends PlantEntries {
  readonly profiles: ProfileEntry;
  /** An order as a JSON text, which the store reads. */
  readonly orders: string;
}

export type FileKind = keyof FileEntries;

/** Kinds whose entries are checked one by one when they come. */
export type EntryKind = Exclude<FileKind, 'orders'>;

/** Every kind of a plant file, in its order. */
export const FILE_KINDS = [
  'catalogs',
  'locations',
  'machines',
  'parts',
  'downtimeReasons',
  'reasonCodes',
  'coils',
  'tasks',
  'profiles',
  'orders',
  'mqttAccounts',
  'apiKeys',
  'users',
] as const satisfies readonly FileKind[];

/** A plant file that was read; a kind it does not name is an empty list. */
export type PlantFile = { readonly [Kind in FileKind]: readonly FileEntries[Kind][] };

/** Records of a plant, by kind. */
export type PlantContents = { readonly [Kind in PlantKind]: readonly PlantRecords[Kind][] };

/** Makes the contents of a plant kind by kind. */
export function plantContents(
  recordsOf: <Kind extends PlantKind>(kind: Kind) => readonly PlantRecords[Kind][],
): PlantContents {
  return {
    catalogs: recordsOf('catalogs'),
    locations: recordsOf('locations'),
    machines: recordsOf('machines'),
    parts: recordsOf('parts'),
    downtimeReasons: recordsOf('downtimeReasons'),
    reasonCodes: recordsOf('reasonCodes'),
    coils: recordsOf('coils'),
    tasks: recordsOf('tasks'),
    mqttAccounts: recordsOf('mqttAccounts'),
    apiKeys: recordsOf('apiKeys'),
    users: recordsOf('users'),
  };
}

/** Makes one value for each kind that a plant file may name. */
export function ofEachFileKind<Made>(make: () => Made): { readonly [Kind in FileKind]: Made } {
  return {
    catalogs: make(),
    locations: make(),
    machines: make(),
    parts: make(),
    downtimeReasons: make(),
    reasonCodes: make(),
    coils: make(),
    tasks: make(),
    profiles: make(),
    orders: make(),
    mqttAccounts: make(),
    apiKeys: make(),
    users: make(),
  };
}

export const EMPTY_PLANT: PlantContents & PlantFile = ofEachFileKind(() => []);

/** The maximum number of records of a kind. */
export const MAX_RECORDS: { readonly [Kind in PlantKind]: number } = {
  catalogs: 1_000,
  locations: 20_000,
  machines: 5_000,
  parts: 20_000,
  downtimeReasons: 1_000,
  reasonCodes: 1_000,
  coils: 1_000_000,
  tasks: 200_000,
  mqttAccounts: 500,
  apiKeys: 500,
  users: 1_000,
};

/**
 * The number of records of a kind in one plant file. A file is committed as a whole, and delays the commits after it.
 */
export const MAX_FILE_RECORDS: { readonly [Kind in FileKind]: number } = {
  ...MAX_RECORDS,
  coils: 50_000,
  tasks: 50_000,
  profiles: 20_000,
  orders: 50_000,
};
