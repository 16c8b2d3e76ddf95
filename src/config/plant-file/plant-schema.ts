import * as Type from 'typebox';
import {
  CODE_SETS,
  LOCATION_CATEGORIES,
  MACHINE_STANDINGS,
  REASON_ICONS,
  ROLES,
  TASK_STATES,
  TASK_TYPES,
} from '../../domain/plant/plant.ts';
import {
  accountFilter,
  amount,
  apiKey,
  badge,
  bareId,
  catalogId,
  choice,
  coilId,
  flag,
  gauge,
  id,
  listOf,
  localDateTime,
  machineId,
  name,
  orNull,
  pin,
  plants,
  rate,
  secret,
  serialNumber,
  target,
  taskId,
  topicRoot,
  utcDateTime,
  words,
} from './plant-fields.ts';

/**
 * The shape of each kind of plant record as people write it (contract.md, Plant file; fields of Task, Coil, Location and
 * Reason code as in interface.md). A field that may be unknown may be null. A field that may be left out has its default in the domain.
 */

/** Claims of one machine. More are refused. */
const MAX_CLAIMS = 32;
/** Variables in the tracking list of one machine. More are refused. */
const MAX_VARIABLES = 256;
/** Catalogs of one machine. More are refused. */
const MAX_SUBSCRIBED_CATALOGS = 256;
/** Preferred coils of one task. More are refused. */
const MAX_PREFERRED_COILS = 256;

/** Rates of one part at single machines. More are refused. */
const MAX_MACHINE_RATES = 1_000;
/** Topic filters to read of one MQTT account, and as many to write. More are refused. */
const MAX_ACCOUNT_FILTERS = 64;
/** Machines that one MQTT account may report for. More are refused. */
const MAX_ACCOUNT_MACHINES = 1_000;

const RECORD = { additionalProperties: false, description: 'a record as { key: value }' } as const;

const catalogs = Type.Object({ catalogId, name, default: Type.Optional(flag) }, RECORD);

const locations = Type.Object({ code: bareId, name, category: choice(LOCATION_CATEGORIES) }, RECORD);

const variableDetail = Type.Object({ name: id, label: Type.Optional(name), unit: Type.Optional(words) }, RECORD);

const machines = Type.Object(
  {
    machineId,
    name: Type.Optional(name),
    topicRoot,
    location: orNull(bareId),
    serialNumber: orNull(serialNumber),
    registrationKey: Type.Optional(secret),
    claims: Type.Optional(listOf(id, MAX_CLAIMS, 'claims')),
    variables: Type.Optional(listOf(id, MAX_VARIABLES, 'variable names')),
    variableDetails: Type.Optional(listOf(variableDetail, MAX_VARIABLES, 'variables as people read them')),
    catalogs: Type.Optional(listOf(catalogId, MAX_SUBSCRIBED_CATALOGS, 'catalog ids')),
    state: Type.Optional(choice(MACHINE_STANDINGS)),
    mqttPassword: Type.Optional(secret),
    area: Type.Optional(name),
    idealPartsPerMinute: Type.Optional(rate),
    targetPartsPerShift: Type.Optional(target),
  },
  RECORD,
);

const machineRate = Type.Object({ machineId, idealPartsPerMinute: rate }, RECORD);

const parts = Type.Object(
  {
    partId: id,
    partName: Type.Optional(name),
    isNew: Type.Optional(flag),
    idealPartsPerMinute: Type.Optional(rate),
    machineRates: Type.Optional(listOf(machineRate, MAX_MACHINE_RATES, 'rates at machines')),
  },
  RECORD,
);

const downtimeReasons = Type.Object(
  {
    id,
    reason: name,
    group: Type.Optional(words),
    icon: Type.Optional(choice(REASON_ICONS)),
    planned: Type.Optional(flag),
    archived: Type.Optional(flag),
  },
  RECORD,
);

const reasonCodes = Type.Object({ id, codeSet: choice(CODE_SETS), reason: name }, RECORD);

const coils = Type.Object(
  {
    coilId,
    materialCode: orNull(words),
    description: orNull(words),
    materialType: orNull(words),
    color: orNull(words),
    gauge: orNull(gauge),
    widthIn: orNull(amount),
    lengthStartFt: orNull(amount),
    lengthRemainingFt: orNull(amount),
    currentWeightLbs: orNull(amount),
    isComplete: Type.Optional(flag),
    isStarted: Type.Optional(flag),
    location: bareId,
    dateIn: orNull(localDateTime),
    vendorName: orNull(words),
    heatNumber: orNull(words),
    purchaseOrder: orNull(words),
  },
  RECORD,
);

const coilType = Type.Object(
  { coilTypeCode: id, materialType: words, color: words, gauge, widthIn: amount, lbsPerFt: amount },
  { additionalProperties: false, description: 'the coil type as { coilTypeCode, materialType, … }' },
);

const tasks = Type.Object(
  {
    taskId,
    machineId,
    taskType: choice(TASK_TYPES),
    taskState: Type.Optional(choice(TASK_STATES)),
    coilType,
    requiredFt: amount,
    sourceLocation: bareId,
    destinationLocation: bareId,
    requiredDate: utcDateTime,
    availableDate: orNull(utcDateTime),
    startedDate: orNull(utcDateTime),
    completedDate: orNull(utcDateTime),
    selectedCoilId: orNull(id),
    preferredCoilIds: Type.Optional(listOf(id, MAX_PREFERRED_COILS, 'coil ids')),
    userName: orNull(name),
    overrideReason: orNull(id),
    unattainableReason: orNull(id),
  },
  RECORD,
);

/** The interface's rules for profiles check the values of the fields. */
const profiles = Type.Object(
  {
    profileId: Type.Optional(id),
    profileName: Type.String({ description: 'the name of the profile' }),
    description: Type.Optional(Type.Unknown()),
    owningCatalogId: Type.Optional(Type.Unknown()),
    category: Type.Optional(Type.Unknown()),
    subCategory: Type.Optional(Type.Unknown()),
    paintedSide: Type.Optional(Type.Unknown()),
    features: Type.Array(Type.Object({}, { description: 'a feature as { type: …, … }' }), {
      description: 'a list of features',
    }),
  },
  RECORD,
);

const mqttAccounts = Type.Object(
  {
    name: id,
    password: Type.Optional(secret),
    clientId: orNull(id),
    read: Type.Optional(listOf(accountFilter, MAX_ACCOUNT_FILTERS, 'topic filters')),
    write: Type.Optional(listOf(accountFilter, MAX_ACCOUNT_FILTERS, 'topic filters')),
    machines: Type.Optional(listOf(machineId, MAX_ACCOUNT_MACHINES, 'machine ids')),
  },
  RECORD,
);

const apiKeys = Type.Object(
  {
    id: Type.Optional(id),
    principal: id,
    key: Type.Optional(apiKey),
    role: choice(ROLES),
    since: orNull(utcDateTime),
    isPanel: Type.Optional(flag),
    plants: Type.Optional(plants),
  },
  RECORD,
);

const users = Type.Object(
  {
    name: id,
    role: choice(ROLES),
    password: Type.Optional(secret),
    badge: orNull(badge),
    pin: orNull(pin),
    plants: Type.Optional(plants),
  },
  RECORD,
);

/** The schema of one record of each kind. */
export const PLANT_SCHEMAS = {
  catalogs,
  locations,
  machines,
  parts,
  downtimeReasons,
  reasonCodes,
  coils,
  tasks,
  profiles,
  mqttAccounts,
  apiKeys,
  users,
} as const;
