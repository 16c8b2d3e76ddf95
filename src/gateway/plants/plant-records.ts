import { PLANT_ENTRY_SHAPES } from '../../config/plant-file/plant-entry-checks.ts';
import { FIRST_PLANT, plantNames } from '../../domain/plant/plant-scope.ts';
import type { MirrorAges } from '../../flows/mirror/mirror-ages.ts';
import { Plant } from '../../flows/plant/plant.ts';
import type { Incidents } from '../../flows/ports.ts';
import type { Store, StoredState } from '../../flows/store-ports.ts';
import type { Base } from '../gateway-parts.ts';
import type { ProfileTools } from '../profiles.ts';

/** Restores the records of a plant. Keys and people are those of the first one. */
export function openPlant(
  { config, store, secrets, clock, log }: Pick<Base, 'config' | 'store' | 'secrets' | 'clock' | 'log'>,
  restored: StoredState,
  { isMirrored }: MirrorAges,
  { artist, profileMutex, catalogLock }: ProfileTools,
  plantId: string = FIRST_PLANT,
): Plant {
  const shapes = PLANT_ENTRY_SHAPES;
  const plantIds = plantId === FIRST_PLANT ? plantNames(config.plants).map((plant) => plant.plantId) : [];
  const ports = { shapes, plantIds, isMirrored, store, secrets, clock, log, artist, profileMutex, catalogLock };
  return new Plant(restored.plant, ports);
}

/** Reports faults of the disk and of its contents as incidents. */
export function reportStoreFaults(store: Store, incidents: Incidents, subject = 'storage'): void {
  store.onDamage(({ table, key, reason }) =>
    incidents.report({ kind: 'store', subject: `${table} ${key}`, detail: `damaged record: ${reason}` }),
  );
  store.onHealth((health) => {
    if (health.state === 'ok') return;
    incidents.report({ kind: 'store', subject, detail: `${health.state}: ${health.detail}` });
  });
}
