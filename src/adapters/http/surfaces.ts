import type { Clock, LocalApi, PlantRecords } from '../../flows/ports.ts';
import type { WarehouseApi } from '../../flows/warehouse-ports.ts';
import { LOCAL_PREFIX, localRoutes } from './routes/local-routes.ts';
import { coilRoutes } from './routes/v1/coil-routes.ts';
import { taskRoutes } from './routes/v1/task-routes.ts';
import { codeAndMessage, errorsArray, errorsObject, type Surface } from './surface.ts';

export interface Apis {
  readonly api: LocalApi;
  readonly plant: PlantRecords;
  readonly warehouse: WarehouseApi;
  readonly clock: Clock;
}

/** Everything behind a key, by prefix; what is nested comes before what it lies in. */
export function surfaces({ api, plant, warehouse, clock }: Apis): readonly Surface[] {
  return [
    { ...LOCAL, routes: localRoutes(api, plant, clock) },
    { ...BUSINESS, prefix: '/api/v1/warehouseTasks', routes: taskRoutes(warehouse) },
    { ...BUSINESS, prefix: '/api/v1/coils', routes: coilRoutes(warehouse) },
    { ...BUSINESS, prefix: '/api/v1/orders', errorBody: codeAndMessage },
    { ...PROFILES, prefix: '/api/v1/profiles' },
    { ...PROFILES, prefix: '/api/v1/catalogs' },
    BUSINESS,
  ];
}

const LOCAL: Surface = {
  prefix: LOCAL_PREFIX,
  routes: [],
  errorBody: errorsObject,
  statuses: {},
  isRateLimited: false,
};

/** The business interface; by itself it serves nothing, and asks for a key before it says so. */
const BUSINESS: Surface = { ...LOCAL, prefix: '/api/v1', isRateLimited: true };

/** Malformed JSON is 500 there, as the interface says (PROF-02). */
const PROFILES: Surface = { ...BUSINESS, errorBody: errorsArray, statuses: { malformed: 500 } };
