import * as Type from 'typebox';
import { invalidInput } from '../../../domain/error.ts';
import type { Audit } from '../../../flows/audit/audit.ts';
import type { Backups } from '../../../flows/backup/take-backups.ts';
import type { DeliveryFlow } from '../../../flows/library/deliver-profiles.ts';
import type { FindScanned } from '../../../flows/local-api/find-scanned.ts';
import type { LocalApiFlow } from '../../../flows/local-api/local-api.ts';
import type { GatewayVitals } from '../../../flows/local-api/local-api-ports.ts';
import type { SupportApi } from '../../../flows/local-api/system-ports.ts';
import type { SystemStatus } from '../../../flows/local-api/system-status.ts';
import type { OrderFlow } from '../../../flows/orders/keep-orders.ts';
import type { PlantLoadFlow } from '../../../flows/plant/load-plant.ts';
import type { PlantRecords } from '../../../flows/plant/plant-record-ports.ts';
import type { Clock, LeveledLog } from '../../../flows/ports.ts';
import type { ReceivedViews } from '../../../flows/receive/receive-views.ts';
import type { ChangeSettings } from '../../../flows/settings/change-settings.ts';
import type { RequestUpdate } from '../../../flows/update/request-update.ts';
import type { LateWrites } from '../../../flows/warehouse/warehouse-ports.ts';
import { LIMITS } from '../limits.ts';
import { type ApiRoute, get, json, NO_QUERY } from '../requests/api-route.ts';
import { auditRoutes } from './audit-routes.ts';
import { clientRoutes } from './client-routes.ts';
import { deliveryRoutes } from './delivery-routes.ts';
import { diagnosticsRoutes } from './diagnostics-routes.ts';
import { downtimeRoutes } from './downtime-routes.ts';
import { gatewayRoutes } from './gateway-routes.ts';
import { historyRoutes } from './history-routes.ts';
import { machineRoutes } from './machine-routes.ts';
import { orderSearchRoutes } from './order-search-routes.ts';
import { plantLoadRoutes } from './plant-load-routes.ts';
import { plantRoutes } from './plant-routes.ts';
import { productionExportRoutes } from './production-export-routes.ts';
import { queueRoutes } from './queue-routes.ts';
import { scanRoutes } from './scan-routes.ts';
import { backupRoutes } from './upkeep/backup-routes.ts';
import { logLevelRoutes } from './upkeep/log-level-routes.ts';
import { settingsRoutes } from './upkeep/settings-routes.ts';
import { supportRoutes } from './upkeep/support-routes.ts';
import { systemRoutes } from './upkeep/system-routes.ts';
import { updateRoutes } from './upkeep/update-routes.ts';

/** The prefix of the local API; the paths of its routes are relative to it. */
export const LOCAL_PREFIX = '/api/local';

export interface LocalApis {
  readonly api: LocalApiFlow;
  readonly audit: Audit;
  readonly deliveries: DeliveryFlow;
  readonly scans: FindScanned;
  readonly lateWrites: LateWrites;
  readonly orders: Pick<OrderFlow, 'find'>;
  readonly plant: PlantRecords;
  readonly plantLoads: PlantLoadFlow;
  readonly gateways: ReceivedViews;
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
export function localRoutes({
  api,
  audit,
  deliveries,
  scans,
  lateWrites,
  orders,
  plant,
  plantLoads,
  gateways,
  system,
  backups,
  settings,
  support,
  updates,
  log,
  vitals,
  clock,
}: LocalApis): readonly ApiRoute[] {
  return [
    ...machineRoutes(api, clock),
    ...deliveryRoutes(deliveries),
    ...downtimeRoutes(api, clock),
    ...historyRoutes('/machines/:machineId', () => api, clock),
    ...productionExportRoutes(api),
    ...gatewayRoutes(gateways, clock),
    ...clientRoutes(vitals, clock),
    ...queueRoutes(api.sync),
    ...systemRoutes(system),
    ...backupRoutes(backups),
    ...settingsRoutes(settings),
    ...supportRoutes(support),
    ...updateRoutes(updates),
    ...logLevelRoutes(log),
    ...scanRoutes(scans),
    get('/lateWrites', 'technician', NO_QUERY, () => json(lateWrites.lateWrites())),
    ...auditRoutes(audit),
    ...orderSearchRoutes(orders),
    ...diagnosticsRoutes(api),
    get('/events', 'technician', EVENTS_QUERY, ({ query: { messages, fields = 'whole' } }) => ({
      kind: 'events',
      choice: { follows: followed(messages), fields },
    })),
    ...plantRoutes(plant),
    ...plantLoadRoutes(plantLoads),
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
