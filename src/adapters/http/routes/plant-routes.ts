import * as Type from 'typebox';
import { invalidInput, noSuch } from '../../../domain/error.ts';
import type { Role } from '../../../domain/plant/plant.ts';
import type { PlantKind } from '../../../domain/plant/plant-entry.ts';
import { PLANT_KINDS } from '../../../domain/plant/plant-entry.ts';
import { KIND_NAMES } from '../../../domain/plant/plant-references.ts';
import type { PagedKind, Plant } from '../../../flows/plant/plant.ts';
import { jsonArray } from '../answers/send-fragments.ts';
import { LIMITS } from '../limits.ts';
import {
  type ApiRoute,
  described,
  empty,
  get,
  getBy,
  json,
  jsonText,
  post,
  put,
  type RouteDescription,
  remove,
} from '../requests/api-route.ts';
import { record } from './shapes.ts';

const RECORD = record('PlantRecord', 'a record with the fields of the plant file (plant-file.md)');

/** The roles that may read and write each kind of record. Users, keys and MQTT accounts are for administrators only. */
const ROLES: Readonly<Record<PlantKind, { readonly read: Role; readonly write: Role }>> = {
  catalogs: { read: 'technician', write: 'supervisor' },
  locations: { read: 'technician', write: 'supervisor' },
  machines: { read: 'technician', write: 'supervisor' },
  parts: { read: 'technician', write: 'supervisor' },
  downtimeReasons: { read: 'technician', write: 'supervisor' },
  reasonCodes: { read: 'technician', write: 'supervisor' },
  coils: { read: 'technician', write: 'supervisor' },
  tasks: { read: 'technician', write: 'supervisor' },
  mqttAccounts: { read: 'admin', write: 'admin' },
  apiKeys: { read: 'admin', write: 'admin' },
  users: { read: 'admin', write: 'admin' },
};

export function writeRoleOf(kind: PlantKind): Role {
  return ROLES[kind].write;
}

/** The fields of each kind, as in the plant file. The required ones come first, before the semicolon. */
export const PLANT_FIELDS: Readonly<Record<PlantKind, string>> = {
  catalogs: 'catalogId, name; default',
  locations: 'code, name, category',
  machines:
    'machineId, topicRoot; name, location, serialNumber, registrationKey, claims, variables, variableDetails, catalogs, state, mqttPassword, area, idealPartsPerMinute, targetPartsPerShift',
  parts: 'partId; partName, isNew, idealPartsPerMinute, machineRates',
  downtimeReasons: 'id, reason; group, icon, planned, archived',
  reasonCodes: 'id, codeSet, reason',
  coils:
    'coilId, location; materialCode, description, materialType, color, gauge, widthIn, lengthStartFt, lengthRemainingFt, currentWeightLbs, isComplete, isStarted, dateIn, vendorName, heatNumber, purchaseOrder',
  tasks:
    'taskId, machineId, taskType, coilType, requiredFt, sourceLocation, destinationLocation, requiredDate; taskState, availableDate, startedDate, completedDate, selectedCoilId, preferredCoilIds, userName, overrideReason, unattainableReason',
  mqttAccounts: 'name; password, clientId, read, write, machines',
  apiKeys: 'principal, role; id, key, since, isPanel, plants',
  users: 'name, role; password, badge, pin, plants',
};

/** A record of the plant. The plant itself checks its shape. */
function recordOf(kind: PlantKind) {
  return Type.Object(
    {},
    {
      title: titleOf(kind),
      additionalProperties: true,
      description: `Fields, first the required ones: ${PLANT_FIELDS[kind]}`,
    },
  );
}

/** `PlantMachine` of `machines`. */
function titleOf(kind: PlantKind): string {
  return `Plant${kind.charAt(0).toUpperCase()}${kind.slice(1, -1)}`;
}

/** The id behind which a page begins, and its length; the page behind the last record is empty. */
const PAGE_QUERY = Type.Object(
  {
    after: Type.String({ default: '', maxLength: LIMITS.idLength }),
    take: Type.Integer({ minimum: 1, maximum: LIMITS.pageRecords, default: LIMITS.listedRecords }),
  },
  { additionalProperties: false },
);

/** GET, POST, PUT and DELETE of every kind of plant record (contract.md, Local API). */
export function plantRoutes(plant: Plant): readonly ApiRoute[] {
  return [
    ...PLANT_KINDS.flatMap((kind) => [listOf(plant, kind), ...routesOf(plant, kind)]),
    // Profiles are written under /api/v1.
    pageOf(plant, 'profiles', 'technician'),
    pageOf(plant, 'orders', 'technician'),
  ];
}

function pageOf(plant: Plant, kind: PagedKind, role: Role): ApiRoute {
  return getBy(`/plant/${kind}`, role, PAGE_QUERY, listDescription(kind), async ({ query }) =>
    jsonText(await plant.page(kind, query.after, query.take)),
  );
}

function listDescription(kind: PagedKind | PlantKind): RouteDescription {
  return described(`Lists ${kind} of the plant`, Type.Array(RECORD));
}

function listOf(plant: Plant, kind: PlantKind): ApiRoute {
  const path = `/plant/${kind}`;
  const { read } = ROLES[kind];
  if (kind === 'coils' || kind === 'tasks') return pageOf(plant, kind, read);
  return get(path, read, listDescription(kind), () => ({
    kind: 'fragments',
    fragments: jsonArray(plant.list(kind), (record) => record),
  }));
}

function routesOf(plant: Plant, kind: PlantKind): readonly ApiRoute[] {
  const { read, write } = ROLES[kind];
  const every = `/plant/${kind}`;
  const one = `${every}/:id`;
  const oneOf = `one of ${kind} of the plant`;
  return [
    get(one, read, described(`Reads ${oneOf}`, RECORD), async ({ param }) =>
      json(found(await plant.get(kind, param('id')), kind, param('id'))),
    ),
    post(every, write, recordOf(kind), described(`Adds ${oneOf}`, RECORD, 201), async ({ body }) =>
      json(await plant.create(kind, checked(kind, body)), 201),
    ),
    put(one, write, recordOf(kind), described(`Changes ${oneOf}`, RECORD), async ({ param, body }) =>
      json(await plant.put(kind, param('id'), checked(kind, body))),
    ),
    remove(one, write, described(`Removes ${oneOf}`, null, 204), async ({ param }) => {
      await plant.remove(kind, param('id'));
      return empty(204);
    }),
  ];
}

/** Refuses a short password that a person typed. A plant file decides for itself. */
function checked<Body extends object>(kind: PlantKind, body: Body): Body {
  if (kind !== 'users' || !('password' in body) || typeof body.password !== 'string') return body;
  const { length } = body.password;
  if (length >= LIMITS.passwordLength) return body;
  throw invalidInput([
    { path: 'password', found: `${length} characters`, expected: `at least ${LIMITS.passwordLength}` },
  ]);
}

function found(record: object | undefined, kind: PlantKind, id: string): object {
  if (record === undefined) throw noSuch(KIND_NAMES[kind], id);
  return record;
}
