import type { TSchema } from 'typebox';
import * as Type from 'typebox';
import { PROFILE_LIMITS } from '../../../../domain/profile/profile-limits.ts';
import type { BatchFact } from '../../../../domain/sync/batch.ts';

/** The shapes of a batch and its records (domain/sync/batch.ts). Other fields of a record are left alone. */

/** No slash: `receivedId` sets the gateway's own before it. */
const ID = Type.String({ pattern: '^[^/\\u0000-\\u001f\\u007f]{1,128}$' });
const MACHINE_ID = Type.String({ pattern: '^[A-Za-z0-9_-]{1,128}$' });
const NAME = Type.String({ pattern: '^[^\\u0000-\\u001f\\u007f]{1,256}$' });
const TEXT = Type.String({ maxLength: 4_096 });
const SHIFT_DATE = Type.String({ pattern: '^\\d{4}-\\d{2}-\\d{2}$' });
/** The range of a Date, in milliseconds since 1970. */
const TIME = Type.Number({ minimum: -8.64e15, maximum: 8.64e15 });
const ISO_TIME = Type.String({ pattern: '^\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}:\\d{2}(\\.\\d{1,9})?Z$' });
const SEQ = Type.Integer({ minimum: 0 });
/** Sums of greater numbers may be infinite, which no report can show. */
const COUNT = Type.Integer({ minimum: Number.MIN_SAFE_INTEGER, maximum: Number.MAX_SAFE_INTEGER });
const DURATION = Type.Number({ minimum: -8.64e15, maximum: 8.64e15 });

const orNull = (schema: TSchema) => Type.Union([schema, Type.Null()]);
const oneOf = (...values: readonly string[]) => Type.Union(values.map((value) => Type.Literal(value)));

/** A gateway's name as the configuration allows it. */
const GATEWAY_ID = Type.String({ pattern: '^[^\\u0000-\\u001f\\u007f]{1,128}$' });
const DIGEST = '[0-9a-f]{64}';

export const HEADER = Type.Object({
  gatewayId: GATEWAY_ID,
  stream: Type.String({ pattern: '^[^\\u0000-\\u001f\\u007f]{1,128}$' }),
  directory: Type.Optional(Type.String({ pattern: '^[^\\u0000-\\u001f\\u007f]{1,128}$' })),
  previous: Type.String({ pattern: `^(${DIGEST})?$` }),
});

/** The number that tells a record from the others. */
export const NUMBERED = Type.Object({ seq: SEQ });

export const POINT_SERIES = Type.Object({
  machineId: MACHINE_ID,
  name: NAME,
  shiftDate: SHIFT_DATE,
  at: Type.Array(TIME),
  value: Type.Array(Type.Number()),
});

const OPERATION = Type.Union([
  Type.Object({ type: Type.Literal('ready') }),
  Type.Object({ type: Type.Literal('inProcess'), userName: orNull(TEXT) }),
  Type.Object({
    type: Type.Literal('inTransit'),
    coilId: TEXT,
    overrideReason: orNull(TEXT),
    userName: orNull(TEXT),
  }),
  Type.Object({ type: Type.Literal('complete'), location: TEXT, userName: orNull(TEXT) }),
  Type.Object({ type: Type.Literal('unattainable'), unattainableCode: TEXT, userName: orNull(TEXT) }),
  Type.Object({ type: Type.Literal('cancel'), coilId: TEXT, location: TEXT }),
]);

/** Its content is judged by the rules for profiles (read-profile.ts). */
const PROFILE = Type.Object({
  profileId: Type.String({ minLength: 1, maxLength: 128 }),
  revision: Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER - 1 }),
  features: Type.Array(Type.Unknown(), { maxItems: PROFILE_LIMITS.features }),
  archived: Type.Boolean(),
  createdBy: TEXT,
  createdDate: ISO_TIME,
  editedBy: TEXT,
  editedDate: ISO_TIME,
});

/** By `type` of the operation. */
const OPERATIONS: Readonly<Record<Extract<BatchFact, { kind: 'act' }>['queued']['act']['type'], TSchema>> = {
  taskOperation: Type.Object({ taskId: TEXT, operation: OPERATION }),
  coilMove: Type.Object({ coilId: TEXT, location: TEXT }),
  orderPut: Type.Object({ orderKey: TEXT, json: Type.String() }),
  orderRemoved: Type.Object({ orderKey: TEXT, ordId: TEXT }),
  profilePut: Type.Object({ profile: PROFILE }),
  profileArchived: Type.Object({ profileId: TEXT }),
};

const COUNTER = orNull(Type.Number());

const READING = Type.Object({
  at: TIME,
  mSecSinceBoot: COUNTER,
  cycle: COUNTER,
  goodPart: COUNTER,
  badPart: COUNTER,
});

const SHIFT = Type.Object({
  machineId: MACHINE_ID,
  shiftDate: SHIFT_DATE,
  shiftName: NAME,
  reading: Type.Optional(READING),
  totals: Type.Object({
    goodParts: COUNT,
    badParts: COUNT,
    cycles: COUNT,
    runningMs: DURATION,
    stoppedMs: DURATION,
    downMs: DURATION,
    faultMs: DURATION,
    overrideMs: DURATION,
    offlineMs: DURATION,
  }),
});

const DOWNTIME = Type.Object({
  downtimeId: ID,
  machineId: MACHINE_ID,
  startedAt: TIME,
  endedAt: orNull(TIME),
  reasonId: orNull(TEXT),
  note: orNull(TEXT),
  userName: orNull(TEXT),
});

const SPAN = Type.Object({
  spanId: ID,
  machineId: MACHINE_ID,
  activity: oneOf('running', 'stopped', 'down', 'fault', 'offline'),
  startedAt: TIME,
  endedAt: orNull(TIME),
});

const WORK_SESSION = Type.Object({
  sessionId: ID,
  machineId: MACHINE_ID,
  jobNumber: orNull(TEXT),
  partId: orNull(TEXT),
  userId: orNull(TEXT),
  startedAt: TIME,
  lastActiveAt: TIME,
  endedAt: orNull(TIME),
  goodParts: COUNT,
  badParts: COUNT,
  cycles: COUNT,
});

const ANOMALY = Type.Object({
  machineId: MACHINE_ID,
  at: TIME,
  counter: oneOf('cycle', 'goodPart', 'badPart'),
  from: COUNT,
  to: COUNT,
});

const CATCH_UP = Type.Object({
  since: orNull(TIME),
  at: TIME,
  reading: READING,
  shift: SHIFT,
  session: orNull(WORK_SESSION),
});

const PART = Type.Object({
  partId: TEXT,
  partName: orNull(TEXT),
  selectedAt: TIME,
  selectedBy: oneOf('device', 'person'),
});

const SAMPLE = Type.Object({
  machineId: MACHINE_ID,
  at: TIME,
  why: oneOf('bootEnd', 'partChange', 'change', 'repeat'),
  json: Type.String({ maxLength: 262_144 }),
});

/** The keys are the names that `shapeName` gives. */
export const RECORDS: Readonly<Record<string, TSchema>> = {
  ...Object.fromEntries(Object.entries(OPERATIONS).map(([type, operation]) => [`act ${type}`, queued(operation)])),
  status: Type.Object({ sample: SAMPLE }),
  shift: Type.Object({ shift: SHIFT }),
  downtime: Type.Object({ downtime: DOWNTIME }),
  downtimeRemoved: Type.Object({ downtimeId: ID }),
  span: Type.Object({ span: SPAN }),
  workSession: Type.Object({ session: WORK_SESSION }),
  anomaly: Type.Object({ anomaly: ANOMALY }),
  catchUp: Type.Object({ catchUp: CATCH_UP }),
  part: Type.Object({ machineId: MACHINE_ID, part: orNull(PART), at: TIME }),
};

function queued(operation: TSchema): TSchema {
  return Type.Object({ queued: Type.Object({ operationId: NAME, at: TIME, principal: TEXT, act: operation }) });
}
