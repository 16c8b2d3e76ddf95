import type { Coil, Task } from './plant.ts';
import type { PlantCodec } from './plant-codec.ts';
import type { PlantEntries, PlantKind } from './plant-entry.ts';

/**
 * Coils and tasks hold live state, which has changed since they were configured. An entry seeds it and never resets it
 * (contract.md, Plant file).
 */

const coilCodec: PlantCodec<'coils'> = {
  idField: 'coilId',
  id: ({ coilId }) => coilId,
  record: (entry, existing) => ({
    coilId: entry.coilId,
    materialCode: entry.materialCode ?? null,
    description: entry.description ?? null,
    materialType: entry.materialType ?? null,
    color: entry.color ?? null,
    gauge: entry.gauge ?? null,
    widthIn: entry.widthIn ?? null,
    lengthStartFt: entry.lengthStartFt ?? null,
    dateIn: entry.dateIn ?? null,
    vendorName: entry.vendorName ?? null,
    heatNumber: entry.heatNumber ?? null,
    purchaseOrder: entry.purchaseOrder ?? null,
    ...coilState(entry, existing),
  }),
  view: (coil) => coil,
  secrets: [],
};

function coilState(entry: PlantEntries['coils'], existing: Coil | undefined) {
  return {
    // An unknown field is no live state: an entry may still set it.
    lengthRemainingFt: existing?.lengthRemainingFt ?? entry.lengthRemainingFt ?? null,
    currentWeightLbs: existing?.currentWeightLbs ?? entry.currentWeightLbs ?? null,
    isComplete: existing?.isComplete ?? entry.isComplete ?? false,
    isStarted: existing?.isStarted ?? entry.isStarted ?? false,
    location: existing?.location ?? entry.location,
  };
}

const taskCodec: PlantCodec<'tasks'> = {
  idField: 'taskId',
  id: ({ taskId }) => taskId,
  record: (entry, existing) => ({
    taskId: entry.taskId,
    machineId: entry.machineId,
    taskType: entry.taskType,
    coilType: entry.coilType,
    requiredFt: entry.requiredFt,
    sourceLocation: entry.sourceLocation,
    destinationLocation: entry.destinationLocation,
    requiredDate: entry.requiredDate,
    preferredCoilIds: entry.preferredCoilIds ?? [],
    ...taskState(existing ?? entry),
  }),
  view: (task) => task,
  secrets: [],
};

function taskState(task: Partial<Task>) {
  return {
    taskState: task.taskState ?? 'Pending',
    availableDate: task.availableDate ?? null,
    startedDate: task.startedDate ?? null,
    completedDate: task.completedDate ?? null,
    selectedCoilId: task.selectedCoilId ?? null,
    userName: task.userName ?? null,
    overrideReason: task.overrideReason ?? null,
    unattainableReason: task.unattainableReason ?? null,
  };
}

const machines: PlantCodec<'machines'> = {
  idField: 'machineId',
  id: ({ machineId }) => machineId,
  record: (entry, existing) => ({
    machineId: entry.machineId,
    name: entry.name ?? entry.machineId,
    topicRoot: entry.topicRoot,
    location: entry.location ?? null,
    serialNumber: entry.serialNumber ?? null,
    registrationKeyHash: existing?.registrationKeyHash ?? null,
    claims: entry.claims ?? [],
    variables: entry.variables ?? [],
    ...(entry.variableDetails && { variableDetails: entry.variableDetails }),
    catalogs: entry.catalogs ?? [],
    state: entry.state ?? 'active',
    mqttPasswordHash: existing?.mqttPasswordHash ?? null,
    ...given(entry, ['area', 'idealPartsPerMinute', 'targetPartsPerShift']),
  }),
  view: ({ registrationKeyHash, mqttPasswordHash, ...view }) => view,
  secrets: [
    {
      field: 'registrationKey',
      hashField: 'registrationKeyHash',
      strength: 'key',
      required: false,
      given: ({ registrationKey }) => registrationKey,
      hash: ({ registrationKeyHash }) => registrationKeyHash,
      withHash: (machine, registrationKeyHash) => ({ ...machine, registrationKeyHash }),
    },
    {
      field: 'mqttPassword',
      hashField: 'mqttPasswordHash',
      strength: 'devicePassword',
      required: false,
      given: ({ mqttPassword }) => mqttPassword,
      hash: ({ mqttPasswordHash }) => mqttPasswordHash,
      withHash: (machine, mqttPasswordHash) => ({ ...machine, mqttPasswordHash }),
    },
  ],
};

const mqttAccounts: PlantCodec<'mqttAccounts'> = {
  idField: 'name',
  id: ({ name }) => name,
  record: ({ name, clientId, read, write, machines: ids }, existing) => ({
    name,
    clientId: clientId ?? null,
    read: read ?? [],
    write: write ?? [],
    machines: ids ?? [],
    passwordHash: existing?.passwordHash ?? null,
  }),
  view: ({ passwordHash, ...view }) => view,
  secrets: [
    {
      field: 'password',
      hashField: 'passwordHash',
      strength: 'devicePassword',
      required: false,
      given: ({ password }) => password,
      hash: ({ passwordHash }) => passwordHash,
      withHash: (account, passwordHash) => ({ ...account, passwordHash }),
    },
  ],
};

/** The fields of an entry that it has. */
function given<Entry extends object, Key extends keyof Entry>(
  entry: Entry,
  keys: readonly Key[],
): Partial<Pick<Entry, Key>> {
  const found: Partial<Pick<Entry, Key>> = {};
  for (const key of keys) if (entry[key] !== undefined) found[key] = entry[key];
  return found;
}

/** A hash that no secret has, for a key or user whose secret is not hashed yet. */
const NO_HASH = '';

const apiKeys: PlantCodec<'apiKeys'> = {
  idField: 'id',
  id: ({ id, principal }) => id ?? principal,
  record: ({ id, principal, role, since, isPanel, plants }, existing) => ({
    id: id ?? principal,
    principal,
    role,
    since: since ?? null,
    isPanel: isPanel ?? false,
    keyHash: existing?.keyHash ?? NO_HASH,
    ...(plants && { plants }),
  }),
  view: ({ keyHash, isPanel, ...view }) => (isPanel ? { ...view, isPanel } : view),
  secrets: [
    {
      field: 'key',
      hashField: 'keyHash',
      strength: 'key',
      required: true,
      given: ({ key }) => key,
      hash: ({ keyHash }) => (keyHash === NO_HASH ? null : keyHash),
      withHash: (apiKey, keyHash) => ({ ...apiKey, keyHash }),
    },
  ],
};

const users: PlantCodec<'users'> = {
  idField: 'name',
  id: ({ name }) => name,
  record: ({ name, role, badge, pin, plants }, existing) => ({
    name,
    role,
    ...(plants && { plants }),
    passwordHash: existing?.passwordHash ?? NO_HASH,
    badgeHash: badge === null ? null : (existing?.badgeHash ?? null),
    pinHash: pin === null ? null : (existing?.pinHash ?? null),
  }),
  view: ({ name, role, plants }) => ({ name, role, ...(plants && { plants }) }),
  secrets: [
    {
      field: 'password',
      hashField: 'passwordHash',
      strength: 'personPassword',
      required: true,
      given: ({ password }) => password,
      hash: ({ passwordHash }) => (passwordHash === NO_HASH ? null : passwordHash),
      withHash: (user, passwordHash) => ({ ...user, passwordHash }),
    },
    {
      field: 'badge',
      hashField: 'badgeHash',
      strength: 'badge',
      required: false,
      given: ({ badge }) => badge ?? undefined,
      hash: ({ badgeHash }) => badgeHash,
      withHash: (user, badgeHash) => ({ ...user, badgeHash }),
    },
    {
      field: 'pin',
      hashField: 'pinHash',
      strength: 'personPassword',
      required: false,
      given: ({ pin }) => pin ?? undefined,
      hash: ({ pinHash }) => pinHash,
      withHash: (user, pinHash) => ({ ...user, pinHash }),
    },
  ],
};

export const PLANT_CODECS: { readonly [Kind in PlantKind]: PlantCodec<Kind> } = {
  catalogs: {
    idField: 'catalogId',
    id: ({ catalogId }) => String(catalogId),
    record: (entry) => ({ catalogId: entry.catalogId, name: entry.name, default: entry.default ?? false }),
    view: (catalog) => catalog,
    secrets: [],
  },
  locations: {
    idField: 'code',
    id: ({ code }) => code,
    record: ({ code, name, category }) => ({ code, name, category }),
    view: (location) => location,
    secrets: [],
  },
  machines,
  parts: {
    idField: 'partId',
    id: ({ partId }) => partId,
    // An entry confirms its part, unless it says itself that the part is new (D-09).
    record: (entry) => ({
      partId: entry.partId,
      partName: entry.partName ?? entry.partId,
      isNew: entry.isNew ?? false,
      ...given(entry, ['idealPartsPerMinute', 'machineRates']),
    }),
    view: (part) => part,
    secrets: [],
  },
  downtimeReasons: {
    idField: 'id',
    id: ({ id }) => id,
    record: (entry) => ({
      id: entry.id,
      reason: entry.reason,
      group: entry.group ?? '',
      ...given(entry, ['icon', 'planned', 'archived']),
    }),
    view: (reason) => reason,
    secrets: [],
  },
  reasonCodes: {
    idField: 'id',
    id: ({ id }) => id,
    record: ({ id, codeSet, reason }) => ({ id, codeSet, reason }),
    view: (reasonCode) => reasonCode,
    secrets: [],
  },
  coils: coilCodec,
  tasks: taskCodec,
  mqttAccounts,
  apiKeys,
  users,
};
