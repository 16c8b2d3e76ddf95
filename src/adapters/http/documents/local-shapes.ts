import type { TSchema } from 'typebox';
import * as Type from 'typebox';
import { LOG_LEVELS } from '../../../domain/log-level.ts';
import { UPDATE_RESULTS } from '../../../domain/update/update-outcome.ts';

/** Shapes of the answers of `/api/local`, for the published documents (contract.md, Local API). */

export const text = (description?: string) => Type.String(description === undefined ? {} : { description });
export const orNull = <Schema extends TSchema>(schema: Schema) => Type.Union([schema, Type.Null()]);
const word = (...words: readonly string[]) => Type.Unsafe<string>({ type: 'string', enum: [...words] });
const TIME = Type.String({ format: 'date-time' });
const COUNT = Type.Integer({ minimum: 0 });
const SECONDS = Type.Number({ minimum: 0 });
/** A record whose fields are described elsewhere. */
export const record = (title: string, description: string) => Type.Object({}, { title, description });

export const DOWNTIME = Type.Object(
  {
    downtimeId: text(),
    machineId: text(),
    startedAt: TIME,
    endedAt: orNull(TIME),
    reasonId: orNull(text()),
    note: orNull(text()),
    userName: orNull(text('who gave the reason')),
  },
  { title: 'Downtime' },
);

const CAUSE = Type.Object(
  {
    kind: word('neverHeard', 'fieldMissing', 'powerOff', 'silent', 'messagesRefused', 'noPart', 'downtimeOpen'),
    since: orNull(TIME),
    help: text('what helps'),
  },
  { title: 'DecisionCause', description: 'why it may not run, exactly (D-35); more fields by kind' },
);

const DECISION = Type.Object(
  {
    runEnabled: Type.Boolean(),
    attentionNeeded: Type.Boolean(),
    message: orNull(text('the message of the first rule that fails')),
    cause: orNull(CAUSE),
  },
  { title: 'Decision' },
);

const RULE = Type.Object(
  { rule: word('power', 'part', 'responding', 'downtime'), message: text(), holds: Type.Boolean() },
  { title: 'Rule' },
);

const SELECTED_PART = Type.Object(
  {
    partId: text(),
    partName: orNull(text()),
    isNew: Type.Boolean({ description: 'named by a device, not confirmed yet' }),
    selectedBy: word('person', 'device'),
  },
  { title: 'SelectedPart' },
);

const MACHINE_SHIFT = Type.Object(
  { shiftDate: text('YYYY-MM-DD'), shiftName: text(), startsAt: TIME, endsAt: TIME, goodParts: COUNT, badParts: COUNT },
  { title: 'MachineShift' },
);

export const MACHINE = Type.Object(
  {
    machineId: text(),
    name: text(),
    topicRoot: text(),
    location: orNull(text()),
    connection: word('online', 'offline', 'unknown'),
    status: orNull(record('MachineStatus', 'the last status, without what the device never sent')),
    lastStatusAt: orNull(TIME),
    decision: DECISION,
    decisionSince: orNull(TIME),
    rules: Type.Array(RULE),
    part: orNull(SELECTED_PART),
    openDowntime: orNull(DOWNTIME),
    uncategorizedDowntimes: COUNT,
    override: Type.Boolean(),
    overrideSince: orNull(TIME),
    fault: Type.Boolean(),
    faultSince: orNull(TIME),
    shift: MACHINE_SHIFT,
    activity: orNull(word('running', 'stopped', 'down', 'fault', 'offline')),
    activitySince: orNull(TIME),
    boots: COUNT,
    shedMessages: Type.Integer({ minimum: 0, description: 'messages above devices.maxUpdatesPerSecond' }),
  },
  { title: 'Machine' },
);

const FIELD_READING = Type.Object(
  { key: text('as it was sent'), field: orNull(text('what it was read as')), why: orNull(text()) },
  { title: 'FieldReading' },
);

export const MESSAGE = Type.Object(
  {
    receivedAt: TIME,
    transport: word('mqtt', 'http'),
    topic: text('the topic, or the route'),
    text: text(),
    hex: orNull(text('where the text does not show what was sent')),
    bytes: COUNT,
    outcome: word('taken', 'held', 'ignored', 'refused'),
    reason: orNull(text()),
    fields: orNull(Type.Array(FIELD_READING)),
  },
  { title: 'MachineMessage' },
);

export const TROUBLE = Type.Object(
  {
    kind: text('as in diagnostics'),
    subject: text('the machine, a client or an address'),
    detail: text('what is wrong, and what helps'),
    count: COUNT,
    firstAt: TIME,
    lastAt: TIME,
    address: orNull(text()),
    example: orNull(text('the beginning of a message')),
    isCertain: Type.Boolean({
      description: 'false: it came from the address of the machine, or from one of no machine',
    }),
  },
  { title: 'MachineTrouble' },
);

const TOTALS = {
  goodParts: COUNT,
  badParts: COUNT,
  cycles: COUNT,
  runningSeconds: SECONDS,
  stoppedSeconds: SECONDS,
  downSeconds: SECONDS,
  faultSeconds: SECONDS,
  overrideSeconds: SECONDS,
  offlineSeconds: SECONDS,
};

export const PRODUCTION = Type.Object(
  {
    shiftDate: text('YYYY-MM-DD'),
    ...TOTALS,
    shifts: Type.Array(Type.Object({ shift: text(), ...TOTALS }, { title: 'ShiftTotals' })),
  },
  { title: 'Production' },
);

export const SPAN = Type.Object(
  {
    state: word('running', 'stopped', 'down', 'fault', 'offline'),
    startedAt: TIME,
    endedAt: orNull(TIME),
    downtimeId: orNull(text()),
    reasonId: orNull(text()),
  },
  { title: 'Span' },
);

export const CLIENT = Type.Object(
  {
    clientId: text(),
    address: orNull(text()),
    since: TIME,
    keepaliveSeconds: SECONDS,
    isMachine: Type.Boolean(),
    subscriptions: Type.Array(Type.Object({ filter: text(), qos: COUNT })),
    bytesBehind: Type.Integer({ minimum: 0, description: 'written for it, and not read yet' }),
  },
  { title: 'MqttClient' },
);

export const BACKUP = Type.Object({ file: text(), takenAt: TIME, bytes: COUNT }, { title: 'Backup' });

export const UPDATE = Type.Object(
  {
    version: text('the one that runs'),
    obstacle: orNull(word('package', 'noService')),
    upload: Type.Object({
      state: word('none', 'receiving', 'verifying', 'ready', 'requested', 'untaken'),
      bytes: COUNT,
      receivedBytes: COUNT,
      version: orNull(text('null until the archive is verified')),
    }),
    outcome: orNull(
      Type.Object({
        result: word(...UPDATE_RESULTS),
        from: text(),
        to: orNull(text()),
        reason: text('empty unless something went wrong'),
        at: TIME,
      }),
    ),
  },
  { title: 'Update' },
);

export const OVERRIDE = Type.Object({ startedAt: TIME, endedAt: orNull(TIME) }, { title: 'Override' });

export const HOURS = Type.Object(
  {
    shiftDate: text(),
    hours: Type.Array(
      Type.Object({ shift: text(), startsAt: TIME, goodParts: Type.Integer(), badParts: Type.Integer() }),
    ),
  },
  { title: 'HourlyProduction' },
);

export const SHIFT_PRODUCTION = record('ShiftProduction', 'production of one shift: shiftDate, shift, counts, seconds');

export const VARIABLE = Type.Object(
  {
    name: text(),
    label: orNull(text('as people call it')),
    unit: orNull(text()),
    value: orNull(Type.Number({ description: 'the newest' })),
    at: orNull(TIME),
  },
  { title: 'ListedVariable' },
);

const SHIFT_SETTINGS = {
  timeZone: text('an IANA time zone'),
  shifts: Type.Array(Type.Object({ name: text(), start: text('HH:MM') })),
};

export const SETTINGS = Type.Object(
  {
    ...SHIFT_SETTINGS,
    upstream: orNull(Type.Object({ url: text() })),
    fixed: Type.Array(word('shifts', 'upstream'), { description: 'set by file or environment, and changed there' }),
    chosen: Type.Array(word('shifts', 'upstream'), {
      description: 'chosen at the page; a section that is neither fixed nor chosen has its default',
    }),
    restartNeeded: Type.Boolean({ description: 'what was chosen counts from the next start on' }),
    restart: Type.Object(
      { by: word('service', 'terminal', 'other'), command: orNull(text('the command of a service')) },
      { description: 'how this gateway is started again: other is as it was started' },
    ),
  },
  { title: 'Settings' },
);

export const LOG_LEVEL = Type.Object({ level: word(...LOG_LEVELS) }, { title: 'LogLevel' });

export const SERVER_TRIAL = Type.Object(
  {
    outcome: word('answers', 'keyRefused', 'wrongCertificate', 'otherVersion', 'unreachable'),
    answeredInMs: COUNT,
    speaks: orNull(word('batch', 'interface')),
    detail: orNull(text()),
    code: orNull(text('of a fault of network or certificate, such as ECONNREFUSED')),
  },
  { title: 'ServerTrial' },
);

export const QUEUE_SAMPLE = Type.Object(
  { at: TIME, depth: COUNT, oldestAgeSeconds: SECONDS },
  { title: 'QueueSample' },
);

export const RECENT_PART = Type.Object(
  { partId: text(), lastSelectedAt: orNull(TIME), lastMadeAt: orNull(TIME) },
  { title: 'RecentPart' },
);

const SET_ASIDE = Type.Object(
  {
    file: text('where it lies'),
    at: orNull(TIME),
    losses: Type.Array(Type.Object({ table: orNull(text('null: all of it')), reason: text() })),
  },
  { title: 'SetAsideDatabase', description: 'a damaged database, and what could not be saved out of it' },
);

export const SYSTEM = Type.Object(
  {
    gatewayId: text(),
    version: text(),
    uptimeSeconds: SECONDS,
    disk: Type.Object({
      state: word('ok', 'full', 'failing', 'restarting'),
      freeBytes: orNull(COUNT),
      databaseBytes: COUNT,
      commitMs: orNull(SECONDS),
      setAside: orNull(SET_ASIDE),
    }),
    clock: Type.Object({
      now: TIME,
      timeZone: text(),
      shifts: Type.Array(Type.Object({ name: text(), start: text('HH:MM') })),
    }),
    legacyAgent: Type.Object({ kind: text(), lastAnswerAt: orNull(TIME), answeredInMs: orNull(SECONDS) }),
    broker: Type.Object({
      connections: COUNT,
      devices: COUNT,
      retainedMessages: COUNT,
      sessions: COUNT,
      inputsPerSecond: SECONDS,
    }),
    certificates: Type.Array(
      Type.Object({ setting: text(), subject: text(), validUntil: TIME, daysLeft: Type.Integer() }),
    ),
  },
  { title: 'System' },
);

export const AUDIT_PAGE = Type.Object(
  {
    entries: Type.Array(
      record('AuditEntry', 'who did what: number, at, who, role, address, act, subject, before, after, hash'),
    ),
    next: orNull(Type.Integer({ description: '`before` of the next page' })),
  },
  { title: 'AuditPage' },
);

export const SCANNED = Type.Object(
  { kind: word('machine', 'coil', 'location', 'task', 'part', 'unknown'), code: text('as it was scanned') },
  {
    title: 'Scanned',
    description:
      'with `id` and `name`; if the kind is unknown, with `similar`: the ids that are the code in another case of its ' +
      'letters, if they are several',
  },
);

export const LATE_WRITE = Type.Object(
  {
    coilId: text(),
    location: text('where it is to be'),
    taskId: Type.Union([Type.String(), Type.Null()]),
    principal: text(),
    requestedAt: text(),
    outcome: word('unknown', 'applied', 'rejected', 'undone'),
  },
  { title: 'LateWrite', description: 'its request was answered before its outcome was known' },
);

export const REASON_COUNT = Type.Object({ reasonId: text(), count: COUNT }, { title: 'ReasonCount' });

export const PERSON = Type.Object({ name: text(), role: text() }, { title: 'SignedInPerson' });

export const SYNC = record('SyncStatus', 'upstream, queue, setAside, mirror: see contract.md, /sync');
export const DIAGNOSTICS = record(
  'Diagnostics',
  'by kind of trouble a list of {subject, detail, count, firstAt, lastAt, address, faults}',
);
export const RECORD = record('PlantRecord', 'a record with the fields of the plant file (plant-file.md)');
export const ARCHIVE = Type.String({ contentMediaType: 'application/gzip' });
export const CSV = Type.String({ contentMediaType: 'text/csv' });

export const SENDING_GATEWAY = Type.Object(
  {
    gatewayId: text(),
    lastContactAt: TIME,
    records: Type.Integer({ minimum: 0, description: 'records and points received since it was first heard' }),
    principal: text('the owner of the key that it came with last'),
    machines: COUNT,
    streams: Type.Integer({ minimum: 0, description: 'its data directories, former ones too' }),
    stream: orNull(text('the data directory whose batches are taken; null: the first one that comes')),
    refused: Type.Array(Type.Object({ stream: text(), since: TIME, lastHeardAt: orNull(TIME), principal: text() })),
  },
  { title: 'SendingGateway' },
);

export const RECEIVED_MACHINE = Type.Object(
  {
    gatewayId: text(),
    machineId: text('the id that it has at its gateway'),
    statusAt: orNull(TIME),
    status: orNull(record('ReceivedDeviceStatus', 'the last status as the device sent it')),
    part: orNull(record('ReceivedPart', 'partId, partName, and who selected it')),
  },
  { title: 'ReceivedMachine' },
);
