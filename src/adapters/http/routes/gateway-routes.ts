import * as Type from 'typebox';
import { NEEDS } from '../../../domain/fleet/gateway-health.ts';
import { TROUBLE_KINDS } from '../../../domain/fleet/trouble.ts';
import type { Clock } from '../../../flows/ports.ts';
import type { ReceivedViews } from '../../../flows/receive/received-views.ts';
import { type ApiRoute, described, empty, get, getBy, json, jsonText, post } from '../requests/api-route.ts';
import { historyRoutes, RECEIVED_HISTORY } from './history-routes.ts';
import { COUNT, choice, DATE_TIME, limitOf, orNull, record, text } from './shapes.ts';

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
  },
  { title: 'GatewayTrouble' },
);

const SENDING_GATEWAY = Type.Object(
  {
    gatewayId: text(),
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

const RECEIVED_MACHINE = Type.Object(
  {
    gatewayId: text(),
    machineId: text('the id that it has at its gateway'),
    statusAt: orNull(DATE_TIME),
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
const MACHINES = '/gateways/:gatewayId/machines';
const MACHINE = `${MACHINES}/:machineId`;

/** Gateways that send here, and the history of their machines (D-27), in the same form as `/machines` for our own. */
export function gatewayRoutes(gateways: ReceivedViews, clock: Clock): readonly ApiRoute[] {
  const pastOf = (param: (name: string) => string) => gateways.past(param('gatewayId'));
  return [
    get('/gateways', 'technician', described('Lists gateways that send here', Type.Array(SENDING_GATEWAY)), async () =>
      json(await gateways.list()),
    ),
    post(
      '/gateways/grant',
      'supervisor',
      GRANT,
      described('Says which data directory may use a gatewayId', null, 204),
      async ({ body }) => {
        await gateways.grant(body);
        return empty(204);
      },
    ),
    get(
      MACHINES,
      'technician',
      described('Lists machines of another gateway', Type.Array(RECEIVED_MACHINE)),
      async ({ param }) => jsonText(await gateways.machines(param('gatewayId'))),
    ),
    get(
      `${MACHINE}/status`,
      'technician',
      described('Reads the last status of a machine of another gateway', record('ReceivedStatus', 'the last status')),
      async ({ param }) => jsonText(await pastOf(param).status(param('machineId'))),
    ),
    getBy(
      `${MACHINE}/downtimes`,
      'technician',
      Type.Object({ uncategorized: Type.Boolean({ default: false }), limit: limitOf(200) }, STRICT),
      described(
        'Lists downtimes of a machine of another gateway',
        Type.Array(record('ReceivedDowntime', 'a downtime with its gateway')),
      ),
      async ({ param, query: { uncategorized, limit } }) =>
        json(await pastOf(param).downtimes(param('machineId'), { uncategorizedOnly: uncategorized, limit })),
    ),
    getBy(
      `${MACHINE}/workSessions`,
      'technician',
      LIMIT,
      described(
        'Lists work sessions of a machine of another gateway',
        Type.Array(record('ReceivedWorkSession', 'a work session with its gateway')),
      ),
      async ({ param, query }) => json(await pastOf(param).workSessions(param('machineId'), query.limit)),
    ),
    getBy(
      `${MACHINE}/anomalies`,
      'technician',
      LIMIT,
      described(
        'Lists anomalies of a machine of another gateway',
        Type.Array(record('ReceivedAnomaly', 'an anomaly with its gateway')),
      ),
      async ({ param, query }) => json(await pastOf(param).anomalies(param('machineId'), query.limit)),
    ),
    ...historyRoutes(MACHINE, pastOf, RECEIVED_HISTORY, clock),
  ];
}
