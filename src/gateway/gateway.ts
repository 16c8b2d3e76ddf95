import { SystemClock } from '../adapters/system/system-clock.ts';
import type { Config } from '../config/config-schema.ts';
import type { Gateway, GatewayOverrides, Stop } from './gateway-parts.ts';
import { openPlantStore } from './plants/plant-store.ts';

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

async function start(
  config: Config,
  overrides: GatewayOverrides,
  onStop: (stop: Stop) => void,
): Promise<Omit<Gateway, 'close'>> {
  const { clock = new SystemClock(), central } = overrides;
  const opening = openPlantStore({ config, overrides, clock, database: central ?? null });
  // This thread loads the rest of the program while the store thread opens the database.
  const [opened, { assembleGateway }] = await Promise.all([opening, import('./assemble-gateway.ts')]);
  onStop(async () => {
    await opened.store.close();
    await central?.close();
  });
  return assembleGateway(config, { ...overrides, ...opened, clock }, onStop);
}
