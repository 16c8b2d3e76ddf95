import type { PlantName } from '../../domain/plant/plant-scope.ts';
import type { ChangesFlow } from '../../flows/changes/changes-flow.ts';
import type { PlanSource } from '../../flows/fleet-plan/plan-source.ts';
import type { ProfileFlow } from '../../flows/library/profile-flow.ts';
import type { OrderFlow } from '../../flows/orders/order-flow.ts';
import type { SetUp } from '../../flows/people/set-up.ts';
import type { BatchReceiver } from '../../flows/receive/batch-receiver.ts';
import type { Fleet } from '../../flows/receive/fleet.ts';
import type { WarehouseOperationsFlow } from '../../flows/warehouse/warehouse-operations-flow.ts';
import type { WarehouseReadsFlow } from '../../flows/warehouse/warehouse-reads-flow.ts';
import { planSourceRoutes } from './routes/fleet/plan-source-routes.ts';
import { LOCAL_PREFIX, type LocalApis, localRoutes } from './routes/local-routes.ts';
import { type PeopleRoutesOptions, peopleRoutes } from './routes/people-routes.ts';
import { plantListRoutes } from './routes/plant-list-routes.ts';
import { sessionRoutes } from './routes/session-routes.ts';
import { setUpRoutes } from './routes/upkeep/set-up-routes.ts';
import { changeRoutes } from './routes/v1/change-routes.ts';
import { coilRoutes } from './routes/v1/coil-routes.ts';
import { healthRoutes } from './routes/v1/health-routes.ts';
import { orderRoutes } from './routes/v1/order-routes.ts';
import { catalogRoutes, profileRoutes } from './routes/v1/profile-routes.ts';
import { syncRoutes } from './routes/v1/sync-routes.ts';
import { taskRoutes } from './routes/v1/task-routes.ts';
import { coilOperationRoutes, taskOperationRoutes } from './routes/v1/warehouse-operation-routes.ts';
import {
  CODE_AND_MESSAGE,
  codeAndMessage,
  ERRORS_ARRAY,
  ERRORS_OBJECT,
  errorsArray,
  errorsObject,
  faultsInHeader,
  placesInHeader,
  type Surface,
} from './surface-router.ts';

export interface Apis extends LocalApis, PeopleRoutesOptions {
  readonly warehouse: WarehouseReadsFlow;
  readonly warehouseOperations: WarehouseOperationsFlow;
  readonly orders: OrderFlow;
  readonly profiles: ProfileFlow;
  readonly changes: ChangesFlow;
  /** Null if this gateway has a central server itself. */
  readonly syncReceiver: BatchReceiver | null;
  /** Null like `syncReceiver`. */
  readonly fleet: Fleet | null;
  /** Null like `syncReceiver`. */
  readonly planSource: PlanSource | null;
  readonly setUp: SetUp;
  readonly plantNames: readonly PlantName[];
  /** Whether Andon is shown without a sign-in. */
  readonly openAndon: boolean;
}

/** Everything behind a key, by prefix; a nested prefix comes before the one around it. */
export function surfaces(apis: Apis): readonly Surface[] {
  const {
    warehouse,
    warehouseOperations,
    orders,
    profiles,
    changes,
    syncReceiver,
    fleet,
    planSource,
    setUp,
    plantNames,
  } = apis;
  return [
    {
      ...LOCAL,
      routes: [
        ...sessionRoutes(apis),
        ...peopleRoutes(apis),
        ...setUpRoutes(setUp, apis),
        ...plantListRoutes(plantNames),
        ...localRoutes(apis),
      ],
    },
    {
      ...BUSINESS,
      tellsOutcome: true,
      prefix: '/api/v1/warehouseTasks',
      routes: [...taskRoutes(warehouse), ...taskOperationRoutes(warehouseOperations)],
    },
    {
      ...BUSINESS,
      tellsOutcome: true,
      prefix: '/api/v1/coils',
      routes: [...coilRoutes(warehouse), ...coilOperationRoutes(warehouseOperations)],
    },
    { ...ORDERS, routes: orderRoutes(orders) },
    { ...PROFILES, prefix: '/api/v1/profiles', routes: profileRoutes(profiles) },
    { ...PROFILES, prefix: '/api/v1/catalogs', routes: catalogRoutes(profiles) },
    { ...BUSINESS, prefix: '/api/v1/changes', routes: changeRoutes(changes) },
    ...(syncReceiver === null || fleet === null || planSource === null
      ? []
      : [{ ...SYNC, routes: [...syncRoutes(syncReceiver), ...healthRoutes(fleet), ...planSourceRoutes(planSource)] }]),
    BUSINESS,
  ];
}

const LOCAL: Surface = {
  prefix: LOCAL_PREFIX,
  routes: [],
  errorBody: errorsObject,
  errorSchema: ERRORS_OBJECT,
  statuses: {},
  tellsOutcome: false,
  spreadsRetries: false,
  isShared: true,
  isRateLimited: false,
};

/** The business interface. This prefix itself has no routes, and asks for a key before it answers 404. */
const BUSINESS: Surface = { ...LOCAL, prefix: '/api/v1', isRateLimited: true };

/**
 * The batch extension. Its requests are not counted: a gateway sends its batches one after the other, no faster than
 * the disk answers, and hundreds of gateways may share one key. Nodes of a central server agree about gateways by the database
 * itself.
 */
const SYNC: Surface = {
  ...BUSINESS,
  prefix: '/api/v1/sync',
  spreadsRetries: true,
  isShared: false,
  isRateLimited: false,
};

const ORDERS: Surface = {
  ...BUSINESS,
  prefix: '/api/v1/orders',
  errorBody: codeAndMessage,
  errorSchema: CODE_AND_MESSAGE,
  errorHeaders: faultsInHeader,
};

/** Malformed JSON is 500 there, as the interface says (PROF-02). */
const PROFILES: Surface = {
  ...BUSINESS,
  errorBody: errorsArray,
  errorSchema: ERRORS_ARRAY,
  errorHeaders: placesInHeader,
  statuses: { malformed: 500 },
};
