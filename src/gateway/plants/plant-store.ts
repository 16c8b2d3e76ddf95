import { type OpenedStore, openStore, type StoreOptions } from '../../adapters/store/client/sqlite-store.ts';
import type { Config } from '../../config/config-schema.ts';
import { serverOf } from '../../domain/sync/server-address.ts';
import type { Clock } from '../../flows/ports.ts';
import type { GatewayOverrides, PlantDatabase } from '../gateway-parts.ts';

export interface PlantStoreOptions {
  readonly config: Pick<Config, 'dataDir' | 'gatewayId' | 'storage' | 'upstream'>;
  readonly overrides: Pick<GatewayOverrides, 'log' | 'storeThreadEntry' | 'earlyThread' | 'pulse'>;
  readonly clock: Clock;
  /** Null: no other node has the same records. */
  readonly database: PlantDatabase | null;
}

/** Opens the store of a plant in its data directory, in step with the other nodes of a central server. */
export async function openPlantStore({ config, overrides, clock, database }: PlantStoreOptions): Promise<OpenedStore> {
  const { earlyThread, ...rest } = overrides;
  const { dataDir } = config;
  await database?.business.join({ dataDir, open: () => openStore(storeOptions(config, rest, clock)) });
  const opened = await openStore(storeOptions(config, overrides, clock));
  return database === null ? opened : { ...opened, store: database.over(opened.store) };
}

function storeOptions(
  config: PlantStoreOptions['config'],
  { log, storeThreadEntry, earlyThread, pulse }: PlantStoreOptions['overrides'],
  clock: Clock,
): StoreOptions {
  return {
    dataDir: config.dataDir,
    threadEntry: storeThreadEntry,
    ...(earlyThread && { earlyThread }),
    ...(pulse && { pulse }),
    ...storeBounds(config),
    monotonicMs: () => clock.now().monotonicMs,
    wallMs: () => clock.now().wallMs,
    log,
  };
}

/** The days for which records are kept. */
export function retentionOf(storage: Config['storage']): StoreOptions['retention'] {
  return {
    variableDays: storage.variableRetentionDays,
    statusDays: storage.statusRetentionDays,
    productionDays: storage.productionRetentionDays,
    auditDays: storage.auditRetentionDays,
  };
}

/** The bounds of the store. Without a central server nothing is queued. */
function storeBounds({
  storage,
  upstream,
  gatewayId,
}: PlantStoreOptions['config']): Pick<StoreOptions, 'retention' | 'forwarding'> {
  return {
    retention: retentionOf(storage),
    forwarding:
      upstream === undefined ? null : { maxBytes: storage.maxQueueBytes, gatewayId, server: serverOf(upstream.url) },
  };
}
