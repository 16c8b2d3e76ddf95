import path from 'node:path';
import type { PlantFlows } from '../../adapters/http/http-servers.ts';
import { scheduleRetention } from '../../adapters/system/retention-schedule.ts';
import type { Config } from '../../config/config-schema.ts';
import { dataDirOfPlant } from '../../config/plant-data-dir.ts';
import { tooMany } from '../../domain/error.ts';
import { FIRST_PLANT, plantNames } from '../../domain/plant/plant-scope.ts';
import { WorkQueue } from '../../domain/work-queue.ts';
import { Audit } from '../../flows/audit/audit.ts';
import type { Backups } from '../../flows/backup/backups.ts';
import { StaleEntities } from '../../flows/mirror/stale-entities.ts';
import type { OpenedAlerts } from '../alerts.ts';
import { openBackups } from '../backups.ts';
import type { Base, GatewayParts, Stop } from '../gateway-parts.ts';
import { openFloor } from '../machines.ts';
import { openMirrorAges } from '../mirror.ts';
import { type Followers, followNodes } from '../nodes/follow-nodes.ts';
import type { ProfileTools } from '../profiles.ts';
import { openPlantParts, type PlantParts, plantFlows } from './plant-flows.ts';
import { openPlant, reportStoreFaults } from './plant-records.ts';
import { openPlantStore } from './plant-store.ts';

/** A plant of a central server besides the first one, with a store of its own (D-108). */
export interface FurtherPlant {
  readonly plantId: string;
  readonly base: Base;
  readonly parts: PlantParts;
  readonly backups: Backups;
  /** The flows that HTTP serves of it. Its page hears of the alerts of the whole server. */
  readonly flowsWith: (alerts: OpenedAlerts['alerts']) => PlantFlows;
  /** Starts what is done at times of the wall clock. */
  readonly startRegularWork: (followers: Pick<Followers, 'people' | 'alerts'>, onStop: (stop: Stop) => void) => void;
}

/** Each reads its records from the disk, and asks the shared database of a central server. */
const OPENED_AT_ONCE = 4;

/** Opens the plants that the configuration names besides the first one. Rejects, once all have settled, if one cannot be opened. */
export async function openFurtherPlants(
  server: Base,
  tools: ProfileTools,
  overrides: GatewayParts,
  onStop: (stop: Stop) => void,
): Promise<readonly FurtherPlant[]> {
  const further = plantNames(server.config.plants).filter(({ plantId }) => plantId !== FIRST_PLANT);
  const opening = new WorkQueue(OPENED_AT_ONCE, further.length, () => tooMany('plants', further.length));
  const opened = await Promise.allSettled(
    further.map(({ plantId }) => opening.run(() => openFurtherPlant(plantId, server, tools, overrides, onStop))),
  );
  return opened.map((outcome) => {
    if (outcome.status === 'rejected') throw outcome.reason;
    return outcome.value;
  });
}

async function openFurtherPlant(
  plantId: string,
  server: Base,
  tools: ProfileTools,
  overrides: GatewayParts,
  onStop: (stop: Stop) => void,
): Promise<FurtherPlant> {
  const { log, clock, newId, limits, incidents, secrets } = server;
  const config = configOf(plantId, server.config);
  const central = server.central === null ? null : { ...server.central, ...server.central.plant(plantId) };
  const { storeThreadEntry } = overrides;
  const { store, restored } = await openPlantStore({
    config,
    overrides: { log, storeThreadEntry },
    clock,
    database: central,
  });
  onStop(() => store.close());
  reportStoreFaults(store, incidents, `storage of plant ${plantId}`);
  const ages = await openMirrorAges(config, store);
  const plant = openPlant({ config, store, secrets, clock, log }, restored, ages, tools, plantId);
  const audit = new Audit({ store, plant, timeZone: config.shifts.timeZone, clock, newId });
  const base: Base = { config, log, clock, newId, store, central, limits, incidents, audit, secrets, plant };
  const floor = openFloor(base, restored);
  plant.onChange(() => floor.registry.configure(plant.machines(), clock.now()));
  const parts = await openPlantParts(base, floor, { tools, ages, stale: new StaleEntities() }, onStop);
  const { backups } = openBackups(base);
  return {
    plantId,
    base,
    parts,
    backups,
    flowsWith: (alerts) => ({ ...plantFlows(base, floor, parts, alerts), backups }),
    startRegularWork: (followers, stopLater) => {
      followNodes(base, { ...followers, ...parts });
      stopLater(scheduleRetention({ store, timeZone: config.shifts.timeZone, incidents, log }).stop);
      stopLater(floor.production.schedule());
    },
  };
}

/** The data directory of a further plant is within that of the server, and so are its backups. */
function configOf(plantId: string, config: Config): Config {
  const dataDir = dataDirOfPlant(config.dataDir, plantId);
  const { backups } = config.storage;
  if (backups === undefined) return { ...config, dataDir };
  const directory = path.join(backups.directory, 'plants', plantId);
  return { ...config, dataDir, storage: { ...config.storage, backups: { ...backups, directory } } };
}
