import { tlsFaults } from '../config/check-tls.ts';
import { type ConfigRequest, loadConfig } from '../config/load-config.ts';
import { ConfigError } from '../config/located-fault.ts';
import { errorMessage } from '../domain/error-text.ts';
import type { LeveledLog } from '../flows/ports.ts';
import type { Gateway } from '../gateway/gateway-parts.ts';

/** The act of SIGHUP: takes certificates and log level from the present configuration. With a fault nothing changes. */
export async function reload(request: ConfigRequest, gateway: Gateway, log: LeveledLog): Promise<void> {
  try {
    const { config, locate } = loadConfig(request);
    const faults = locate(tlsFaults(config));
    if (faults.length > 0) throw new ConfigError(faults);
    await gateway.reloadTls(config);
    log.level = config.log.level;
    log.info({ logLevel: config.log.level }, 'certificates and log level are read again; other keys need a restart');
  } catch (error) {
    log.error({ error: errorMessage(error) }, 'nothing was read again');
  }
}
