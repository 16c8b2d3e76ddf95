import type { PlantFlows } from '../../adapters/http/http-servers.ts';
import { PLANT_ENTRY_SHAPES } from '../../config/plant-file/plant-entry-checks.ts';
import { ChangesFlow } from '../../flows/changes/changes-flow.ts';
import { DowntimeFlow } from '../../flows/local-api/downtime-flow.ts';
import { FindScanned } from '../../flows/local-api/find-scanned.ts';
import { LiveChanges } from '../../flows/local-api/live-changes.ts';
import { LocalApiFlow } from '../../flows/local-api/local-api-flow.ts';
import { MachineHistory } from '../../flows/local-api/machine-history.ts';
import { PartFlow } from '../../flows/local-api/part-flow.ts';
import type { MirrorAges } from '../../flows/mirror/mirror-ages.ts';
import type { StaleEntities } from '../../flows/mirror/stale-entities.ts';
import { openWork } from '../../flows/orders/open-work.ts';
import { OrderChanges } from '../../flows/orders/order-changes.ts';
import { OrderFlow } from '../../flows/orders/order-flow.ts';
import { PlantLoadFlow } from '../../flows/plant/plant-load-flow.ts';
import { VERSION } from '../../version.ts';
import type { OpenedAlerts } from '../alerts.ts';
import type { Base, Stop } from '../gateway-parts.ts';
import type { Floor } from '../machines.ts';
import { openProfiles, type Profiles, type ProfileTools } from '../profiles.ts';
import { openUpstream, type Upstream } from '../upstream.ts';
import { openWarehouse, type Warehouse } from '../warehouse.ts';

/** The parts of a plant, of which its flows are made. */
export interface PlantParts {
  readonly profiles: Profiles;
  readonly warehouse: Warehouse;
  readonly orderChanges: OrderChanges;
  readonly upstream: Upstream;
}

/** Puts the parts of a plant together that work on its business records. */
export async function openPlantParts(
  base: Base,
  floor: Floor,
  { tools, ages, stale }: { readonly tools: ProfileTools; readonly ages: MirrorAges; readonly stale: StaleEntities },
  onStop: (stop: Stop) => void,
): Promise<PlantParts> {
  const upstream = await openUpstream(base, floor, { ages, stale });
  onStop(() => upstream.close());
  const warehouse = await openWarehouse(base, { ...upstream, stale });
  onStop(() => warehouse.close());
  const profiles = openProfiles(base, tools, upstream.operations);
  return { upstream, warehouse, profiles, orderChanges: new OrderChanges(base.store, base.clock) };
}

/** Makes the flows that HTTP serves of a plant. Its page hears of the alerts of the whole server. */
export function plantFlows(
  base: Base,
  floor: Floor,
  { profiles, warehouse, orderChanges, upstream }: PlantParts,
  alerts: OpenedAlerts['alerts'],
): Omit<PlantFlows, 'backups'> {
  const { config, clock, newId, store, incidents, audit, plant, central } = base;
  const { registry } = floor;
  const liveChanges = new LiveChanges({
    registry,
    plant,
    warehouse: warehouse.changes,
    orders: orderChanges,
    upstream,
    alerts,
    incidents,
    clock,
  });
  const api = new LocalApiFlow({
    registry,
    history: new MachineHistory({ registry, store, clock }),
    parts: new PartFlow({ registry, plant, store, clock }),
    downtimes: new DowntimeFlow({ registry, plant, store, clock, newId }),
    plant,
    store,
    incidents,
    shifts: floor.calendar,
    plan: floor.production.plan,
    sync: upstream.sync,
    changes: liveChanges,
    version: VERSION,
    clock,
  });
  return {
    api,
    liveChanges,
    audit,
    plant,
    scans: new FindScanned({ plant, store, prefixes: config.page.scanPrefixes }),
    production: floor.production.flow,
    plantLoads: new PlantLoadFlow({ plant, store, shapes: PLANT_ENTRY_SHAPES, newId }),
    warehouse: warehouse.reads,
    warehouseOperations: warehouse.operations,
    lateWrites: warehouse.lateWrites,
    requests: warehouse.requests,
    decisions: central?.business ?? null,
    changes: new ChangesFlow({ store, plant }),
    orders: new OrderFlow({
      store,
      clock,
      timeZone: config.shifts.timeZone,
      openWork: () => openWork(registry),
      operations: upstream.operations,
    }),
    profiles: profiles.library,
    deliveries: profiles.deliveries,
  };
}
