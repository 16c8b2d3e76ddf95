import * as Type from 'typebox';
import { NEEDS } from '../../../domain/fleet/gateway-health.ts';
import { RECEIVED_STATES } from '../../../domain/fleet/received-state.ts';
import { TROUBLE_KINDS } from '../../../domain/fleet/trouble.ts';
import { narrowed } from '../../../domain/plant/plant-scope.ts';
import type { Clock } from '../../../flows/ports.ts';
import type { ReceivedViews } from '../../../flows/receive/received-views.ts';
import { jsonArray, jsonObject } from '../answers/send-fragments.ts';
import { LIMITS } from '../limits.ts';
import { type ApiRoute, described, empty, get, getBy, json, post, put, remove } from '../requests/api-route.ts';
import { historyRoutes, type OneCall, RECEIVED_HISTORY } from './history-routes.ts';
import { COUNT, choice, DATE_TIME, ID, limitOf, orNull, record, text } from './shapes.ts';

const CONTACT = Type.Object({
  state: choice(['live', 'awaited', 'silent']),
  since: orNull({ ...DATE_TIME, description: 'the last contact with a gateway that is silent' }),
});

const TOLD = Type.Object(
  {
    at: { ...DATE_TIME, description: 'when it told this; all times are by the clock here' },
    version: text(),
    timeZone: text(),
    machines: COUNT,
    queue: Type.Object({ records: COUNT, oldestAt: orNull(DATE_TIME) }),
    setAside: COUNT,
    openAlerts: COUNT,
    disk: orNull(Type.Object({ freePercent: Type.Number(), leastPercent: Type.Number() })),
    backup: orNull(Type.Object({ newestAt: orNull(DATE_TIME) }, { description: 'null: not known' })),
    certificateUntil: orNull(DATE_TIME),
    clock: orNull(
      Type.Object({ aheadMs: Type.Integer(), withinMs: Type.Integer({ minimum: 0, description: 'may be wrong by' }) }),
    ),
    needs: Type.Array(Type.Object({ machineId: text(), name: text(), need: choice(NEEDS), since: orNull(DATE_TIME) }), {
      description: 'machines that need a person',
    }),
  },
  { title: 'ToldHealth' },
);

const TROUBLE = Type.Object(
  {
    kind: choice(TROUBLE_KINDS),
    value: orNull(Type.Number({ description: 'milliseconds; setAside: a number, disk: per cent' })),
    limit: orNull(Type.Number()),
    sentence: Type.Object({ en: text(), de: text() }),
  },
  { title: 'GatewayTrouble' },
);

const SENDING_GATEWAY = Type.Object(
  {
    gatewayId: text(),
    plantId: text('the plant of the key that it came with last'),
    name: orNull(text('the name that a person gave it')),
    contact: CONTACT,
    health: orNull(TOLD),
    troubles: Type.Array(TROUBLE, { description: 'the worst first' }),
    lastContactAt: DATE_TIME,
    records: Type.Integer({ minimum: 0, description: 'records and points received since it was first heard' }),
    principal: text('the owner of the key that it came with last'),
    machines: COUNT,
    streams: Type.Integer({ minimum: 0, description: 'its data directories, former ones too' }),
    stream: orNull(text('the data directory whose batches are taken; null: the first one that comes')),
    refused: Type.Array(
      Type.Object({ stream: text(), since: DATE_TIME, lastHeardAt: orNull(DATE_TIME), principal: text() }),
    ),
  },
  { title: 'SendingGateway' },
);

const BRIEF = {
  gatewayId: text(),
  plantId: text('the plant of its gateway'),
  machineId: text('the id that it has at its gateway'),
  name: orNull(text('as its gateway told it; null: it told none')),
  contact: CONTACT,
  state: choice(RECEIVED_STATES),
  need: orNull(Type.Object({ need: choice(NEEDS), since: orNull(DATE_TIME) }, { description: 'as it was told last' })),
  activity: orNull(choice(['running', 'stopped', 'down', 'fault', 'offline'])),
  activitySince: orNull(DATE_TIME),
  openStop: orNull(Type.Object({ startedAt: DATE_TIME, reasonId: orNull(text()) })),
  statusAt: orNull(DATE_TIME),
};

const MACHINES_OF_ALL = Type.Object({
  machines: Type.Array(Type.Object(BRIEF, { title: 'MachineOfFleet' })),
  next: orNull(text('what `after` of the next page is; null at the end')),
});

const RECEIVED_MACHINE = Type.Object(
  {
    ...BRIEF,
    status: orNull(record('ReceivedDeviceStatus', 'the last status as the device sent it')),
    part: orNull(record('ReceivedPart', 'partId, partName, and who selected it')),
  },
  { title: 'ReceivedMachine' },
);

const STRICT = { additionalProperties: false } as const;
const LIMIT = Type.Object({ limit: limitOf(100) }, STRICT);
const GRANT = Type.Object(
  {
    gatewayId: Type.String(),
    stream: Type.String({ description: 'A stream that may not use the name of the gateway' }),
  },
  STRICT,
);
const NAME = Type.Object(
  {
    name: orNull(
      Type.String({ pattern: '^[^\\u0000-\\u001f\\u007f]{1,100}$', description: 'For people; null: its gatewayId' }),
    ),
  },
  STRICT,
);
const MACHINE_SEARCH = Type.Object(
  {
    only: Type.Optional(choice(['need', 'unknown'])),
    gatewayId: Type.Optional(Type.String({ maxLength: 128 })),
    plantId: Type.Optional(ID),
    after: Type.Optional(Type.String({ maxLength: 300 })),
    limit: Type.Integer({ minimum: 1, maximum: LIMITS.machinesOfFleet, default: LIMITS.listedRecords }),
  },
  STRICT,
);
const MACHINES = '/gateways/:gatewayId/machines';
const MACHINE = `${MACHINES}/:machineId`;

/** Every route sees the gateways as its caller does. */
type GatewaysOfCaller = Pick<ReceivedViews, 'seenBy'>;

/** Gateways that send here, and the history of their machines (D-27), in the same form as `/machines` for our own. */
export function gatewayRoutes(gateways: GatewaysOfCaller, clock: Clock): readonly ApiRoute[] {
  const pastOf = ({ param, identity }: OneCall) => gateways.seenBy(identity).past(param('gatewayId'));
  return [
    ...fleetRoutes(gateways),
    machinesOfFleet(gateways),
    get(
      MACHINES,
      'technician',
      described('Lists machines of another gateway', Type.Array(RECEIVED_MACHINE)),
      async ({ param, identity }) => {
        const { machines } = gateways.seenBy(identity);
        const own = await machines.ofGateway(param('gatewayId'));
        return { kind: 'fragments', fragments: jsonArray(own, machines.whole) };
      },
    ),
    get(
      `${MACHINE}/status`,
      'technician',
      described('Reads the last status of a machine of another gateway', RECEIVED_MACHINE),
      async (call) => json(await pastOf(call).status(call.param('machineId'))),
    ),
    getBy(
      `${MACHINE}/downtimes`,
      'technician',
      Type.Object({ uncategorized: Type.Boolean({ default: false }), limit: limitOf(200) }, STRICT),
      described(
        'Lists downtimes of a machine of another gateway',
        Type.Array(record('ReceivedDowntime', 'a downtime with its gateway')),
      ),
      async ({ query: { uncategorized, limit }, ...call }) =>
        json(await pastOf(call).downtimes(call.param('machineId'), { uncategorizedOnly: uncategorized, limit })),
    ),
    getBy(
      `${MACHINE}/workSessions`,
      'technician',
      LIMIT,
      described(
        'Lists work sessions of a machine of another gateway',
        Type.Array(record('ReceivedWorkSession', 'a work session with its gateway')),
      ),
      async (call) => json(await pastOf(call).workSessions(call.param('machineId'), call.query.limit)),
    ),
    getBy(
      `${MACHINE}/anomalies`,
      'technician',
      LIMIT,
      described(
        'Lists anomalies of a machine of another gateway',
        Type.Array(record('ReceivedAnomaly', 'an anomaly with its gateway')),
      ),
      async (call) => json(await pastOf(call).anomalies(call.param('machineId'), call.query.limit)),
    ),
    ...historyRoutes(MACHINE, pastOf, RECEIVED_HISTORY, clock),
  ];
}

/** A page of the machines of all gateways of the caller's plants, or of one of these plants. */
function machinesOfFleet(gateways: GatewaysOfCaller): ApiRoute {
  return getBy(
    '/fleet/machines',
    'technician',
    MACHINE_SEARCH,
    described('Lists machines of all gateways that send here', MACHINES_OF_ALL),
    async ({ query: { only = null, gatewayId = null, plantId, after = null, limit }, identity }) => {
      const plants = narrowed(identity.plants ?? 'all', plantId);
      const { machines } = gateways.seenBy({ plants });
      const { machines: list, next } = await machines.search({ only, gatewayId, after, limit });
      return {
        kind: 'fragments',
        fragments: jsonObject([
          { name: 'machines', list },
          { name: 'next', value: next },
        ]),
      };
    },
  );
}

/** The gateways themselves. */
function fleetRoutes(gateways: GatewaysOfCaller): readonly ApiRoute[] {
  return [
    get(
      '/gateways',
      'technician',
      described('Lists gateways that send here', Type.Array(SENDING_GATEWAY)),
      async ({ identity }) => json(await gateways.seenBy(identity).list()),
    ),
    post(
      '/gateways/grant',
      'supervisor',
      GRANT,
      described('Says which data directory may use a gatewayId', null, 204),
      async ({ body, identity }) => {
        await gateways.seenBy(identity).grant(body);
        return empty(204);
      },
    ),
    put(
      '/gateways/:gatewayId',
      'supervisor',
      NAME,
      described('Gives a gateway that sends here a name, or takes it away', null, 204),
      async ({ param, body, identity }) => {
        await gateways.seenBy(identity).rename(param('gatewayId'), body.name?.trim() ?? null);
        return empty(204);
      },
    ),
    remove(
      '/gateways/:gatewayId',
      'admin',
      described('Takes a silent gateway out of all lists; its records stay until they are old', null, 204),
      async ({ param, identity }) => {
        await gateways.seenBy(identity).retire(param('gatewayId'));
        return empty(204);
      },
    ),
  ];
}
