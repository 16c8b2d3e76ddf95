import * as Type from 'typebox';
import { COUNT, choice, DATE_TIME, orNull, record, text } from './shapes.ts';

/** Shapes of machines and their history, as `/api/local` answers them (contract.md, Local API). */

export const DOWNTIME = Type.Object(
  {
    downtimeId: text(),
    machineId: text(),
    startedAt: DATE_TIME,
    endedAt: orNull(DATE_TIME),
    reasonId: orNull(text()),
    note: orNull(text()),
    userName: orNull(text('who gave the reason')),
  },
  { title: 'Downtime' },
);

const CAUSE = Type.Object(
  {
    kind: choice(['neverHeard', 'fieldMissing', 'powerOff', 'silent', 'messagesRefused', 'noPart', 'downtimeOpen']),
    since: orNull(DATE_TIME),
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
  { rule: choice(['power', 'part', 'responding', 'downtime']), message: text(), holds: Type.Boolean() },
  { title: 'Rule' },
);

const SELECTED_PART = Type.Object(
  {
    partId: text(),
    partName: orNull(text()),
    isNew: Type.Boolean({ description: 'named by a device, not confirmed yet' }),
    selectedBy: choice(['person', 'device']),
  },
  { title: 'SelectedPart' },
);

const MACHINE_SHIFT = Type.Object(
  {
    shiftDate: text('YYYY-MM-DD'),
    shiftName: text(),
    startsAt: DATE_TIME,
    endsAt: DATE_TIME,
    goodParts: COUNT,
    badParts: COUNT,
  },
  { title: 'MachineShift' },
);

export const MACHINE = Type.Object(
  {
    machineId: text(),
    name: text(),
    topicRoot: text(),
    location: orNull(text()),
    area: orNull(text('the part of the plant that it stands in')),
    connection: choice(['online', 'offline', 'unknown']),
    status: orNull(record('MachineStatus', 'the last status, without what the device never sent')),
    lastStatusAt: orNull(DATE_TIME),
    decision: DECISION,
    decisionSince: orNull(DATE_TIME),
    rules: Type.Array(RULE),
    part: orNull(SELECTED_PART),
    openDowntime: orNull(DOWNTIME),
    uncategorizedDowntimes: COUNT,
    override: Type.Boolean(),
    overrideSince: orNull(DATE_TIME),
    fault: Type.Boolean(),
    faultSince: orNull(DATE_TIME),
    shift: MACHINE_SHIFT,
    activity: orNull(choice(['running', 'stopped', 'down', 'fault', 'offline'])),
    activitySince: orNull(DATE_TIME),
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
    receivedAt: DATE_TIME,
    transport: choice(['mqtt', 'http']),
    topic: text('the topic, or the route'),
    text: text(),
    hex: orNull(text('where the text does not show what was sent')),
    bytes: COUNT,
    outcome: choice(['taken', 'held', 'ignored', 'refused']),
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
    firstAt: DATE_TIME,
    lastAt: DATE_TIME,
    address: orNull(text()),
    example: orNull(text('the beginning of a message')),
    isCertain: Type.Boolean({
      description: 'false: it came from the address of the machine, or from one of no machine',
    }),
  },
  { title: 'MachineTrouble' },
);

export const VARIABLE = Type.Object(
  {
    name: text(),
    label: orNull(text('as people call it')),
    unit: orNull(text()),
    value: orNull(Type.Number({ description: 'the newest' })),
    at: orNull(DATE_TIME),
  },
  { title: 'ListedVariable' },
);

export const RECENT_PART = Type.Object(
  { partId: text(), lastSelectedAt: orNull(DATE_TIME), lastMadeAt: orNull(DATE_TIME) },
  { title: 'RecentPart' },
);

export const OVERRIDE = Type.Object({ startedAt: DATE_TIME, endedAt: orNull(DATE_TIME) }, { title: 'Override' });

const NAMED_HOUR = { shift: text(), startsAt: DATE_TIME, targetParts: orNull(Type.Number()) };
export const HOURS = Type.Object(
  {
    shiftDate: text(),
    hours: Type.Array(
      Type.Object({
        ...NAMED_HOUR,
        goodParts: Type.Integer(),
        badParts: Type.Integer(),
      }),
    ),
    coming: Type.Array(Type.Object({ ...NAMED_HOUR, forecastParts: Type.Number() })),
    outlook: orNull(
      Type.Object(
        {
          goodParts: Type.Integer(),
          targetParts: Type.Number(),
          targetByNow: Type.Number(),
          forecastParts: Type.Number(),
          partsPerHour: Type.Number(),
          neededPerHour: orNull(Type.Number()),
          isEarly: Type.Boolean(),
          endsAt: DATE_TIME,
        },
        { title: 'Outlook' },
      ),
    ),
  },
  { title: 'HourlyProduction' },
);

export const SHIFT_PRODUCTION = record('ShiftProduction', 'production of one shift: shiftDate, shift, counts, seconds');
