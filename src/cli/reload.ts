import { changedKeys } from '../config/changed-keys.ts';
import { tlsFaults } from '../config/check-tls.ts';
import type { Config } from '../config/config-schema.ts';
import { type ConfigRequest, loadConfig } from '../config/load-config.ts';
import { ConfigError } from '../config/located-fault.ts';
import { errorMessage } from '../domain/error-text.ts';
import type { LeveledLog } from '../flows/ports.ts';
import type { Gateway } from '../gateway/gateway-parts.ts';

/** Keys that SIGHUP takes. Certificates are read again even if their paths are the same. */
const TAKEN: ReadonlySet<string> = new Set([
  'log.level',
  'http.tls.cert',
  'http.tls.key',
  'mqtt.tls.cert',
  'mqtt.tls.key',
  'mqtt.tls.ca',
]);

interface ReloadOptions {
  readonly request: ConfigRequest;
  /** The configuration with which the gateway started. */
  readonly started: Config;
  readonly gateway: Pick<Gateway, 'reloadTls'>;
  readonly log: LeveledLog;
}

/**
 * The act of SIGHUP: takes certificates and log level from the present configuration, and names the other changed keys,
 * which need a restart. With a fault nothing changes.
 */
export async function reload({ request, started, gateway, log }: ReloadOptions): Promise<void> {
  try {
    const { config, locate } = loadConfig(request);
    const faults = locate(tlsFaults(config));
    if (faults.length > 0) throw new ConfigError(faults);
    await gateway.reloadTls(config);
    log.level = config.log.level;
    const needRestart = changedKeys(started, config).filter((key) => !isTaken(key, started, config));
    log.info({ logLevel: config.log.level, needRestart }, 'certificates and log level are read again');
  } catch (error) {
    log.error({ error: errorMessage(error) }, 'nothing was read again');
  }
}

/** A server that did not ask clients for certificates at its start does not begin to ask. */
function isTaken(key: string, started: Config, config: Config): boolean {
  const hasAuthority = (of: Config) => of.mqtt.tls?.ca !== undefined;
  return TAKEN.has(key) && (key !== 'mqtt.tls.ca' || hasAuthority(started) === hasAuthority(config));
}
