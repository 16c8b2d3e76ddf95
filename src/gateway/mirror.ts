import type { Config } from '../config/config-schema.ts';
import { ListMirror } from '../flows/mirror/list-mirror.ts';
import { Mirror } from '../flows/mirror/mirror.ts';
import { MirrorAges } from '../flows/mirror/mirror-ages.ts';
import { MirrorFetch } from '../flows/mirror/mirror-fetch.ts';
import { mirrorOrders } from '../flows/mirror/mirror-orders.ts';
import type { MachinePlace, MirroredKind } from '../flows/mirror/mirror-ports.ts';
import { ProfileMirror } from '../flows/mirror/profile-mirror.ts';
import type { StaleEntities } from '../flows/mirror/stale-entities.ts';
import { TableMirror } from '../flows/mirror/table-mirror.ts';
import type { OrderChanges } from '../flows/orders/order-changes.ts';
import type { Plant } from '../flows/plant/plant.ts';
import type { Store } from '../flows/store-ports.ts';
import { after } from '../runtime/after.ts';
import type { Base } from './gateway-parts.ts';
import type { Profiles, ProfileTools } from './profiles.ts';
import type { Warehouse } from './warehouse.ts';

/** The parts that the mirror reads, changes and tells. */
export interface MirrorParts {
  readonly tools: ProfileTools;
  readonly ages: MirrorAges;
  readonly stale: StaleEntities;
  readonly warehouse: Pick<Warehouse, 'changes'>;
  readonly profiles: Pick<Profiles, 'noteChange'>;
  readonly orderChanges: OrderChanges;
  /** The central server gave no answer, or did not let us in. */
  readonly recheck: () => void;
}

/** The last time at which each kind was mirrored; without a central server no kind counts as mirrored. */
export async function openMirrorAges({ upstream }: Pick<Config, 'upstream'>, store: Store): Promise<MirrorAges> {
  return new MirrorAges(upstream === undefined ? [] : await store.mirrorAges());
}

/** Begins to mirror the central server (UP-07), if there is one. Gives a function that ends it. */
export async function startMirror(base: Base, parts: MirrorParts): Promise<() => Promise<void>> {
  const { upstream } = base.config;
  if (upstream === undefined) return async () => undefined;
  const { url, apiKey, timeoutSeconds, pollSeconds } = upstream;
  const { HttpCentralServer } = await import('../adapters/central/http-central-server.ts');
  const central = new HttpCentralServer({ url, apiKey, timeoutMs: timeoutSeconds * 1_000 });
  const mirror = mirrorOf(base, parts, new MirrorFetch(central, parts.recheck), pollSeconds * 1_000);
  parts.stale.onNote((entity) => void mirror.refresh(entity));
  mirror.start();
  return async () => {
    await Promise.all([central.close(), mirror.stop()]);
  };
}

function mirrorOf(
  { store, plant, clock, incidents }: Base,
  { ages, warehouse, profiles, orderChanges, tools }: MirrorParts,
  fetch: MirrorFetch,
  pollMs: number,
): Mirror {
  const { artist, profileMutex: turns } = tools;
  const wallMs = () => Math.round(clock.now().wallMs);
  const onRefused = (kind: MirroredKind, faults: readonly string[]) => {
    const detail = `${kind} that could not be read: ${faults.join('; ')}`;
    incidents.report({ kind: 'upstream', subject: kind, detail });
  };
  const onChange = profiles.noteChange;
  return new Mirror({
    tables: new TableMirror({ fetch, store, machines: () => placesOf(plant), wallMs, onRefused }),
    lists: new ListMirror({ fetch, store, plant, onRefused }),
    profiles: new ProfileMirror({ fetch, store, artist, turns, wallMs, onChange, onRefused }),
    readOrders: async () => {
      const isRead = await mirrorOrders(fetch, store, wallMs());
      orderChanges.note();
      return isRead;
    },
    ages,
    noteAge: (kind, at) => store.mirrorNote(kind, Math.round(at)),
    pollMs,
    clock,
    after,
    incidents,
    onTableChanged: (kind, changed, count) => warehouse.changes.mirrored(kind, changed, count),
  });
}

function placesOf(plant: Plant): readonly MachinePlace[] {
  return plant.machines().flatMap(({ machineId, location }) => (location === null ? [] : [{ machineId, location }]));
}
