import type { Static } from 'typebox';
import * as Type from 'typebox';
import { KIB, MIB } from '../domain/byte-units.ts';
import { anyOf } from '../domain/error.ts';
import { LOG_LEVELS } from '../domain/log-level.ts';
import { WEEKDAYS } from '../domain/shift/work-plan.ts';
import { UNITS } from '../domain/units.ts';
import { BYTE_SIZE_RULE } from '../validation/byte-size.ts';
import type { ByteRange } from '../validation/schema-compiler.ts';
import { BACKUP_TIMES_PATTERN, BACKUP_TIMES_RULE } from './backup-times.ts';
import { GATEWAY_NAME_PATTERN } from './computer-defaults.ts';
import { MAX_PLANTS, PLANT_ID_PATTERN, PLANT_ID_RULE } from './plant-file/plant-fields.ts';

/** The shape of `plantgate.yaml` with every default (contract.md, Configuration). A description says what is expected. */

/** A default that depends on the computer. `withComputerDefaults` puts it in before the check. */
const OF_COMPUTER = '';

const TB = 1e12;
const DAY_SECONDS = 86_400;
const CLOSED = { additionalProperties: false } as const;

function section<Properties extends Parameters<typeof Type.Object>[0]>(properties: Properties, name: string) {
  return Type.Object(properties, { ...CLOSED, description: `the section ${name}, as key: value` });
}

/** A section that always exists: it is filled with its defaults if it is not given. */
function standing<Properties extends Parameters<typeof Type.Object>[0]>(properties: Properties, name: string) {
  return Type.Object(properties, { ...CLOSED, default: {}, description: `the section ${name}, as key: value` });
}

function text(
  description: string,
  more: { readonly default?: string; readonly pattern?: string; readonly writeOnly?: true } = {},
) {
  return Type.String({ minLength: 1, maxLength: 1_024, description, ...more });
}

function file(what: string) {
  return text(`the path of ${what}`);
}

function flag(standard: boolean) {
  return Type.Boolean({ default: standard, description: 'true or false' });
}

function choice<const Choices extends readonly [string, ...string[]]>(choices: Choices, standard: Choices[number]) {
  return Type.Unsafe<Choices[number]>({ enum: [...choices], default: standard, description: anyOf(choices) });
}

function host() {
  return text('a host name or address', { default: '0.0.0.0', pattern: '^[^\\s/]+$' });
}

function port(standard: number) {
  return whole(standard, 0, 65_535, 'a port from 0 (any free one) to 65535');
}

function whole(standard: number, minimum: number, maximum: number, description?: string) {
  const rule = description ?? `a whole number from ${minimum} to ${maximum}`;
  return Type.Integer({ default: standard, minimum, maximum, description: rule });
}

function seconds(standard: number, range: { readonly above?: number; readonly from?: number; readonly to: number }) {
  const { above, from = 0, to } = range;
  if (above === undefined) {
    const description = `seconds, from ${from} to ${to}`;
    return Type.Number({ default: standard, minimum: from, maximum: to, description });
  }
  const description = `seconds, more than ${above}, at most ${to}`;
  return Type.Number({ default: standard, exclusiveMinimum: above, maximum: to, description });
}

function byteSize(standard: string | number, byteSize: ByteRange) {
  const description = `${BYTE_SIZE_RULE}, ${byteSize.minimum} to ${byteSize.maximum} bytes`;
  return Type.Unsafe<number>({ byteSize, default: standard, description });
}

const httpTls = section({ cert: file('the certificate (PEM)'), key: file('its private key (PEM)') }, 'http.tls');

const mqttTls = section(
  {
    port: port(8883),
    cert: file('the certificate (PEM)'),
    key: file('its private key (PEM)'),
    ca: Type.Optional(file('the authority that signed the client certificates (PEM)')),
    requireClientCertificate: flag(false),
    identity: choice(['none', 'cn'], 'none'),
  },
  'mqtt.tls',
);

const http = standing(
  {
    host: host(),
    port: port(8080),
    allowedHosts: Type.Array(text('a host name', { pattern: '^[^\\s/:]+$' }), {
      default: [],
      maxItems: 100,
      uniqueItems: true,
      description: 'a list of at most 100 host names, each once',
    }),
    trustedProxies: Type.Array(text('an address or a network'), {
      default: [],
      maxItems: 100,
      uniqueItems: true,
      description: 'a list of at most 100 addresses or networks, each once',
    }),
    requestsPerSecond: whole(200, 1, 100_000),
    tls: Type.Optional(httpTls),
  },
  'http',
);

const deviceHttp = section({ host: host(), port: port(8081) }, 'deviceHttp');

const mqtt = standing(
  {
    host: host(),
    port: port(1883),
    tls: Type.Optional(mqttTls),
    // MQTT can express at most 256 MiB less one byte.
    maxPacketBytes: byteSize(262_144, { minimum: KIB, maximum: 256 * MIB - 1 }),
    access: choice(['open', 'known', 'password'], 'open'),
  },
  'mqtt',
);

const devices = standing(
  {
    timeoutSeconds: seconds(10, { above: 0, to: 3_600 }),
    maxUpdatesPerSecond: Type.Number({
      default: 10,
      exclusiveMinimum: 0,
      maximum: 100,
      description: 'a number above 0, at most 100',
    }),
    legacyCommandTopics: flag(true),
    minimumStopSeconds: seconds(0, { from: 0, to: DAY_SECONDS }),
  },
  'devices',
);

const rest = Type.Object(
  {
    start: text('its start as "HH:MM"', { pattern: '^([01][0-9]|2[0-3]):[0-5][0-9]$' }),
    minutes: Type.Integer({ minimum: 1, maximum: 720, description: 'a whole number from 1 to 720' }),
  },
  { ...CLOSED, description: 'a break as { start, minutes }' },
);

const shift = Type.Object(
  {
    name: text('the name of the shift'),
    start: text('its start as "HH:MM"'),
    days: Type.Optional(
      Type.Array(Type.Unsafe<(typeof WEEKDAYS)[number]>({ enum: [...WEEKDAYS], description: anyOf(WEEKDAYS) }), {
        minItems: 1,
        uniqueItems: true,
        description: 'a list of weekdays, each once',
      }),
    ),
    breaks: Type.Optional(Type.Array(rest, { maxItems: 12, description: 'a list of at most 12 breaks' })),
  },
  { ...CLOSED, description: 'a shift as { name, start }, with days and breaks if need be' },
);

const dayOff = Type.Object(
  { date: text('a date as YYYY-MM-DD'), name: text('the name of the day') },
  { ...CLOSED, description: 'a day off as { date, name }' },
);

const daysOff = Type.Array(dayOff, { maxItems: 1_000, description: 'a list of at most 1000 days off' });

const shifts = standing(
  {
    timeZone: text('an IANA time zone such as America/Chicago', { default: OF_COMPUTER }),
    shifts: Type.Array(shift, {
      default: [
        { name: 'Day', start: '06:00' },
        { name: 'Night', start: '18:00' },
      ],
      description: 'a list of shifts',
    }),
    daysOff: Type.Optional(daysOff),
  },
  'shifts',
);

/** The shifts of a plan for a group of gateways (D-112). Without a time zone each gateway keeps its own. */
export const PLAN_SHIFTS = Type.Object(
  {
    timeZone: Type.Optional(text('an IANA time zone such as America/Chicago')),
    shifts: Type.Array(shift, { description: 'a list of shifts' }),
    daysOff: Type.Optional(daysOff),
  },
  { ...CLOSED, description: 'shifts as { timeZone, shifts, daysOff }' },
);

const legacyAgent = standing(
  {
    kind: choice(['none', 'http', 'upstream', 'simulated'], 'none'),
    url: Type.Optional(text('a URL, http:// or https://')),
    timeoutSeconds: seconds(5, { above: 0, to: 300 }),
  },
  'legacyAgent',
);

const upstream = section(
  {
    url: text('a URL, http:// or https://'),
    apiKey: text('the API key that the central server gave, without spaces', {
      pattern: '^[\\x21-\\x7e]+$',
      writeOnly: true,
    }),
    pollSeconds: seconds(5, { from: 0.1, to: DAY_SECONDS }),
    timeoutSeconds: seconds(10, { above: 0, to: 300 }),
    /** D-14: with false the central server judges the source states of an operation. */
    enforceSourceStates: flag(true),
  },
  'upstream',
);

const backups = section(
  {
    directory: text('the path of a directory, best on another disk'),
    keep: whole(7, 1, 1_000),
    at: text(BACKUP_TIMES_RULE, { default: '02:47', pattern: BACKUP_TIMES_PATTERN }),
  },
  'storage.backups',
);

const postgres = section(
  {
    url: text('the address of a database, postgres://user:password@host:port/database', {
      pattern: '^postgres(ql)?://[^\\s]+$',
      writeOnly: true,
    }),
    maxConnections: whole(20, 3, 1_000),
    maxGateways: whole(2_000, 1, 100_000),
  },
  'storage.postgres',
);

const storage = standing(
  {
    maxQueueBytes: byteSize('2GB', { minimum: MIB, maximum: 100 * TB }),
    variableRetentionDays: whole(90, 1, 36_500),
    statusRetentionDays: whole(30, 1, 36_500),
    productionRetentionDays: whole(400, 1, 36_500),
    auditRetentionDays: whole(730, 1, 36_500),
    backups: Type.Optional(backups),
    postgres: Type.Optional(postgres),
  },
  'storage',
);

const discovery = standing(
  {
    enabled: flag(true),
    name: text('a name of letters, digits and hyphens', {
      default: 'plantgate',
      pattern: '^[A-Za-z0-9]([A-Za-z0-9-]{0,50}[A-Za-z0-9])?$',
    }),
  },
  'discovery',
);

const page = standing(
  {
    scanPrefixes: Type.Array(text('what stands in front of an id on a label'), {
      default: [],
      maxItems: 20,
      uniqueItems: true,
      description: 'a list of at most 20 texts, each once',
    }),
    openAndon: flag(false),
    units: choice(UNITS, 'imperial'),
  },
  'page',
);

const plant = Type.Object(
  {
    id: text(PLANT_ID_RULE, { pattern: PLANT_ID_PATTERN }),
    name: text('the name of the plant for people'),
  },
  { ...CLOSED, description: 'a plant as { id, name }' },
);

/** The schema of the whole file. */
export const CONFIG_SCHEMA = Type.Object(
  {
    gatewayId: text('a name for this gateway', { default: OF_COMPUTER, pattern: GATEWAY_NAME_PATTERN }),
    dataDir: text('the path of the data directory', { default: OF_COMPUTER }),
    plant: Type.Optional(file('the plant file')),
    plants: Type.Array(plant, {
      default: [],
      maxItems: MAX_PLANTS,
      description: `a list of at most ${MAX_PLANTS} plants`,
    }),
    http,
    page,
    deviceHttp: Type.Optional(deviceHttp),
    mqtt,
    discovery,
    devices,
    shifts,
    legacyAgent,
    upstream: Type.Optional(upstream),
    storage,
    log: standing({ level: choice(LOG_LEVELS, 'info') }, 'log'),
  },
  { ...CLOSED, description: 'settings as key: value' },
);

type DeepReadonly<T> = T extends object ? { readonly [Key in keyof T]: DeepReadonly<T[Key]> } : T;

/** The whole configuration; every path in it is absolute. */
export type Config = DeepReadonly<Static<typeof CONFIG_SCHEMA>>;
