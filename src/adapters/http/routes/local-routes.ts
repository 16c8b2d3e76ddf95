import * as Type from 'typebox';
import { invalidInput } from '../../../domain/error.ts';
import type { Audit } from '../../../flows/audit/audit.ts';
import type { Backups } from '../../../flows/backup/backups.ts';
import type { FleetPlans } from '../../../flows/fleet-plan/fleet-plans.ts';
import type { GatewayGroups } from '../../../flows/fleet-plan/gateway-groups.ts';
import type { FleetArchives } from '../../../flows/fleet-update/fleet-archives.ts';
import type { RollOuts } from '../../../flows/fleet-update/roll-outs.ts';
import type { SyncStatusFlow } from '../../../flows/forward/sync-status-flow.ts';
import type { DeliveryFlow } from '../../../flows/library/delivery-flow.ts';
import type { ProfileFlow } from '../../../flows/library/profile-flow.ts';
import type { FindScanned } from '../../../flows/local-api/find-scanned.ts';
import type { LocalApiFlow } from '../../../flows/local-api/local-api-flow.ts';
import {
  type ConnectedClient,
  DISMISSABLE_KINDS,
  type Dismissal,
  type GatewayVitals,
} from '../../../flows/local-api/local-api-ports.ts';
import type { SupportApi } from '../../../flows/local-api/system-ports.ts';
import type { SystemStatus } from '../../../flows/local-api/system-status.ts';
import type { OrderFlow } from '../../../flows/orders/order-flow.ts';
import type { Plant } from '../../../flows/plant/plant.ts';
import type { PlantLoadFlow } from '../../../flows/plant/plant-load-flow.ts';
import type { Clock, LeveledLog } from '../../../flows/ports.ts';
import type { ProductionFlow } from '../../../flows/production/production-flow.ts';
import type { ReceivedViews } from '../../../flows/receive/received-views.ts';
import type { Sights } from '../../../flows/receive/sights.ts';
import type { ChangeSettings } from '../../../flows/settings/change-settings.ts';
import type { RequestUpdate } from '../../../flows/update/request-update.ts';
import type { LateWriteView } from '../../../flows/warehouse/warehouse-ports.ts';
import { jsonArray, jsonObject } from '../answers/send-fragments.ts';
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
  remove,
  route,
} from '../requests/api-route.ts';
import { type AlertApis, alertRoutes } from './alert-routes.ts';
import { auditRoutes } from './audit-routes.ts';
import { downtimeRoutes } from './downtime-routes.ts';
import { fleetUpdateRoutes } from './fleet/fleet-update-routes.ts';
import { groupRoutes } from './fleet/group-routes.ts';
import { gatewayRoutes } from './gateway-routes.ts';
import { historyRoutes, OWN_HISTORY } from './history-routes.ts';
import { deliveryRoutes, machineRoutes } from './machine-routes.ts';
import { orderSearchRoutes } from './order-search-routes.ts';
import { plantLoadRoutes } from './plant-load-routes.ts';
import { plantRoutes } from './plant-routes.ts';
import { productionExportRoutes } from './production-export-routes.ts';
import { productionRoutes } from './production-routes.ts';
import { profileSearchRoutes } from './profile-search-routes.ts';
import { COUNT, choice, DATE_TIME, limitOf, orNull, record, SECONDS, text } from './shapes.ts';
import { backupRoutes } from './upkeep/backup-routes.ts';
import { logLevelRoutes } from './upkeep/log-level-routes.ts';
import { settingsRoutes } from './upkeep/settings-routes.ts';
import { supportRoutes } from './upkeep/support-routes.ts';
import { systemRoutes } from './upkeep/system-routes.ts';
import { updateRoutes } from './upkeep/update-routes.ts';

const CLIENT = Type.Object(
  {
    clientId: text(),
    address: orNull(text()),
    since: DATE_TIME,
    keepaliveSeconds: SECONDS,
    isMachine: Type.Boolean(),
    account: orNull(text('the MQTT account that it logged in as')),
    mqttVersion: choice(['3.1', '3.1.1', '5']),
    subscriptions: Type.Array(Type.Object({ filter: text(), qos: COUNT })),
    bytesBehind: Type.Integer({ minimum: 0, description: 'written for it, and not read yet' }),
  },
  { title: 'MqttClient' },
);

const SCANNED = Type.Object(
  { kind: choice(['machine', 'coil', 'location', 'task', 'part', 'unknown']), code: text('as it was scanned') },
  {
    title: 'Scanned',
    description:
      'with `id` and `name`; if the kind is unknown, with `similar`: the ids that are the code in another case of its ' +
      'letters, if they are several',
  },
);

const LATE_WRITE = Type.Object(
  {
    coilId: text(),
    location: text('where it is to be'),
    taskId: Type.Union([Type.String(), Type.Null()]),
    principal: text(),
    requestedAt: text(),
    outcome: choice(['unknown', 'applied', 'rejected', 'undone']),
  },
  { title: 'LateWrite', description: 'its request was answered before its outcome was known' },
);

const SYNC = record('SyncStatus', 'upstream, queue, setAside, mirror: see contract.md, /sync');

const DIAGNOSTICS = record(
  'Diagnostics',
  'by kind of trouble a list of {subject, detail, count, firstAt, lastAt, address, faults}',
);

/** The prefix of the local API; the paths of its routes are relative to it. */
export const LOCAL_PREFIX = '/api/local';

export interface LocalApis {
  readonly api: LocalApiFlow;
  readonly alerts: AlertApis;
  readonly audit: Audit;
  readonly deliveries: DeliveryFlow;
  readonly scans: FindScanned;
  readonly lateWrites: () => readonly LateWriteView[];
  readonly orders: Pick<OrderFlow, 'find' | 'items'>;
  readonly profiles: Pick<ProfileFlow, 'find' | 'restore'>;
  readonly plant: Plant;
  readonly production: ProductionFlow;
  readonly plantLoads: PlantLoadFlow;
  readonly gateways: ReceivedViews;
  readonly sights: Sights;
  readonly groups: GatewayGroups;
  readonly fleetPlans: FleetPlans;
  readonly archives: FleetArchives;
  readonly rollOuts: RollOuts;
  readonly system: SystemStatus;
  readonly backups: Backups;
  readonly settings: ChangeSettings;
  readonly support: SupportApi;
  readonly updates: RequestUpdate;
  readonly log: Pick<LeveledLog, 'level'>;
  readonly vitals: Pick<GatewayVitals, 'clients'>;
  readonly clock: Clock;
}

/** Every operation of the local API with the role it takes (contract.md, Local API). */
export function localRoutes(apis: LocalApis): readonly ApiRoute[] {
  const {
    api,
    alerts,
    audit,
    deliveries,
    scans,
    lateWrites,
    orders,
    profiles,
    plant,
    production,
    plantLoads,
    gateways,
    sights,
    system,
    backups,
    settings,
    support,
    updates,
    log,
    vitals,
    clock,
  } = apis;
  return [
    ...machineRoutes(api, clock),
    ...alertRoutes(alerts, sights),
    ...deliveryRoutes(deliveries),
    ...downtimeRoutes(api, clock),
    ...historyRoutes('/machines/:machineId', () => api, OWN_HISTORY, clock),
    ...productionExportRoutes(api, gateways.production),
    ...productionRoutes(production, gateways.production),
    ...receivedRoutes(apis),
    ...clientRoutes(vitals, clock),
    ...queueRoutes(api.sync),
    ...systemRoutes(system),
    ...backupRoutes(backups),
    ...settingsRoutes(settings),
    ...supportRoutes(support),
    ...updateRoutes(updates),
    ...logLevelRoutes(log),
    ...scanRoutes(scans),
    get(
      '/lateWrites',
      'technician',
      described('Lists writes to the legacy system whose outcome is unknown', Type.Array(LATE_WRITE)),
      () => json(lateWrites()),
    ),
    ...auditRoutes(audit),
    ...orderSearchRoutes(orders),
    ...profileSearchRoutes(profiles),
    ...diagnosticsRoutes(api, sights),
    getBy(
      '/events',
      'technician',
      EVENTS_QUERY,
      described('Streams changes as server-sent events', Type.String({ contentMediaType: 'text/event-stream' })),
      ({ query: { messages, fields = 'whole' } }) => ({
        kind: 'events',
        choice: { follows: followed(messages), fields },
      }),
    ),
    ...plantRoutes(plant),
    ...plantLoadRoutes(plantLoads),
  ];
}

/** Gateways that send here, their groups, plans and updates. */
function receivedRoutes(apis: LocalApis): readonly ApiRoute[] {
  const { gateways, sights, groups, fleetPlans, archives, rollOuts, clock } = apis;
  return [
    ...gatewayRoutes(gateways, clock),
    ...groupRoutes(groups, fleetPlans, sights),
    ...fleetUpdateRoutes(archives, rollOuts, sights),
  ];
}

const EVENTS_QUERY = Type.Object(
  {
    messages: Type.Optional(
      Type.String({ maxLength: LIMITS.queryTextLength, description: 'machine ids with commas between them' }),
    ),
    fields: Type.Optional(
      Type.Unsafe<'whole' | 'changed'>({
        type: 'string',
        enum: ['whole', 'changed'],
        description: 'events of machines have the whole record, or their id and the fields that changed',
      }),
    ),
  },
  { additionalProperties: false },
);

/** The machines whose messages are events too. */
function followed(machineIds = ''): readonly string[] {
  const ids = machineIds.split(',').filter((id) => id !== '');
  if (ids.length <= LIMITS.followedMachines) return ids;
  const expected = `at most ${LIMITS.followedMachines}`;
  throw invalidInput([{ path: 'messages', found: `${ids.length} machines`, expected }]);
}

const QUERY = Type.Object(
  { code: Type.String({ minLength: 1, maxLength: LIMITS.queryTextLength }) },
  { additionalProperties: false },
);

/** The record that a code on a label names (contract.md, Local API). */
function scanRoutes(scans: FindScanned): readonly ApiRoute[] {
  return [
    getBy('/scan', 'technician', QUERY, described('Says what a scanned code names', SCANNED), async ({ query }) =>
      json(await scans.find(query.code)),
    ),
  ];
}

/** Clients of the broker that are connected now (contract.md, Local API). */
function clientRoutes(vitals: Pick<GatewayVitals, 'clients'>, clock: Clock): readonly ApiRoute[] {
  return [
    get('/clients', 'technician', described('Lists MQTT clients that are connected', Type.Array(CLIENT)), () => {
      const { wallMs } = clock.now();
      return { kind: 'fragments', fragments: jsonArray(vitals.clients(), (client) => clientView(client, wallMs)) };
    }),
  ];
}

const MQTT_VERSIONS = { 3: '3.1', 4: '3.1.1', 5: '5' } as const;

function clientView({ connectedMs, keepaliveMs, version, ...client }: ConnectedClient, wallMs: number) {
  const since = new Date(wallMs - connectedMs).toISOString();
  return { ...client, mqttVersion: MQTT_VERSIONS[version], since, keepaliveSeconds: keepaliveMs / 1_000 };
}

const NAME = Type.String({ minLength: 1, maxLength: LIMITS.queryTextLength });
const DISMISSAL = Type.Object(
  {
    kind: Type.Unsafe<Dismissal['kind']>({ enum: DISMISSABLE_KINDS }),
    subject: NAME,
    meantFor: Type.Optional(NAME),
  },
  { additionalProperties: false },
);

/** Reads the incidents, and dismisses a report (contract.md, `/diagnostics`; D-47). */
function diagnosticsRoutes(api: Pick<LocalApiFlow, 'diagnostics' | 'dismiss'>, sights: Sights): readonly ApiRoute[] {
  return [
    get('/diagnostics', 'technician', described('Lists what went wrong, by kind', DIAGNOSTICS), ({ identity }) => ({
      kind: 'fragments',
      fragments: jsonObject(api.diagnostics(sights.of(identity))),
    })),
    post(
      '/diagnostics/dismissals',
      'supervisor',
      DISMISSAL,
      described('Dismisses a report of a device, until it is heard with something new', null, 204),
      ({ body }) => {
        api.dismiss(body);
        return empty(204);
      },
    ),
  ];
}

const PAGE = Type.Object(
  { after: Type.Integer({ minimum: 0, default: 0 }), take: limitOf(LIMITS.listedRecords) },
  { additionalProperties: false },
);

/** The state of the exchange with the central server, and the actions on records that it refused (contract.md, `/sync`). */
function queueRoutes(sync: SyncStatusFlow): readonly ApiRoute[] {
  return [
    get('/sync', 'technician', described('Reads how the gateway stands with its central server', SYNC), async () =>
      json(await sync.status()),
    ),
    getBy(
      '/sync/queue',
      'technician',
      PAGE,
      described('Lists records that wait', Type.Array(record('QueuedRecord', 'a record that waits'))),
      async ({ query: { after, take } }) => jsonText(await sync.queueRows(after, take)),
    ),
    getBy(
      '/sync/setAside',
      'technician',
      PAGE,
      described(
        'Lists records that the central server refused',
        Type.Array(record('SetAsideRecord', 'id, what, reason, at')),
      ),
      async ({ query: { after, take } }) => json(await sync.setAsideFrom(after, take)),
    ),
    route({
      method: 'POST',
      path: '/sync/setAside/:id/retry',
      role: 'supervisor',
      description: described('Sends a refused record again', null, 204),
      answer: async ({ param }) => {
        await sync.retry(param('id'));
        return empty(204);
      },
    }),
    remove('/sync/setAside/:id', 'supervisor', described('Gives a refused record up', null, 204), async ({ param }) => {
      await sync.discard(param('id'));
      return empty(204);
    }),
  ];
}
