import { openStore, type StoreOptions } from '../adapters/store/client/sqlite-store.ts';
import { SystemClock } from '../adapters/system/system-clock.ts';
import type { Config } from '../config/config-schema.ts';
import { serverOf } from '../domain/sync/server-address.ts';
import type { Clock } from '../flows/ports.ts';
import type { Gateway, GatewayOverrides, Stop } from './gateway-parts.ts';

/**
 * Starts a gateway. Rejects with a coded error if the data directory, the plant file or a port cannot be used; then no
 * part keeps running.
 */
export async function createGateway(config: Config, overrides: GatewayOverrides): Promise<Gateway> {
  const stops: Stop[] = [];
  const close = async () => {
    for (const stop of stops.splice(0).reverse()) await stop();
  };
  try {
    return { ...(await start(config, overrides, (stop) => stops.push(stop))), close };
  } catch (error) {
    await close();
    throw error;
  }
}

function storeOptions(config: Config, overrides: GatewayOverrides, clock: Clock): StoreOptions {
  const { log, storeThreadEntry, earlyThread, pulse } = overrides;
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
function storeBounds({ storage, upstream, gatewayId }: Config): Pick<StoreOptions, 'retention' | 'forwarding'> {
  return {
    retention: retentionOf(storage),
    forwarding:
      upstream === undefined ? null : { maxBytes: storage.maxQueueBytes, gatewayId, server: serverOf(upstream.url) },
  };
}

async function start(
  config: Config,
  overrides: GatewayOverrides,
  onStop: (stop: Stop) => void,
): Promise<Omit<Gateway, 'close'>> {
  const { clock = new SystemClock(), central } = overrides;
  const { earlyThread: _, ...rest } = overrides;
  await central?.business.join({
    dataDir: config.dataDir,
    open: () => openStore(storeOptions(config, rest, clock)),
  });
  const opening = openStore(storeOptions(config, overrides, clock));
  // This thread loads the rest of the program while the store thread opens the database.
  const [opened, { assembleGateway }] = await Promise.all([opening, import('./assemble-gateway.ts')]);
  const store = central?.over(opened.store) ?? opened.store;
  onStop(async () => {
    await store.close();
    await central?.close();
  });
  return assembleGateway(config, { ...overrides, ...opened, store, clock }, onStop);
}
