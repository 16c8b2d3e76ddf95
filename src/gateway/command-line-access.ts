import { lookup } from 'node:dns';
import path from 'node:path';
import { promisify } from 'node:util';
import { writeLocalAccessFile } from '../adapters/system/local-access.ts';
import { registerRunningGateway, runningDir } from '../adapters/system/running-gateways.ts';
import { isEveryAddress } from '../config/config-rules.ts';
import { errorMessage } from '../domain/error-text.ts';
import type { Base } from './gateway-parts.ts';

// Node's own promises of dns take 5 ms to load.
const lookUp = promisify(lookup);

/** Lets the command line find and use this gateway. Gives a function that ends it. */
export async function openCommandLineAccess(
  { config, incidents, clock, log }: Pick<Base, 'config' | 'incidents' | 'clock' | 'log'>,
  port: number,
  key: string,
): Promise<() => Promise<void>> {
  const scheme = config.http.tls === undefined ? 'http' : 'https';
  const url = `${scheme}://${await reachableHost(config.http.host)}:${port}`;
  const leaving = await writeLocalAccessFile(config.dataDir, { url, key }, (error) =>
    incidents.report({ kind: 'store', subject: 'local-access.json', detail: errorMessage(error) }),
  );
  const since = new Date(clock.now().wallMs).toISOString();
  const running = { pid: process.pid, dataDir: path.resolve(config.dataDir), url, since };
  const takeNameAway = await registerRunningGateway(runningDir(process.env), running, (reason) =>
    log.debug({ reason }, 'plantgate status finds this gateway by its data directory alone'),
  );
  return async () => {
    leaving.stop();
    await takeNameAway();
  };
}

/**
 * The address on which this computer reaches a program that listens on a host. A name is resolved, because the gateway
 * answers to its addresses but not to each of its names (http.allowedHosts). It listens there already, so a name that
 * cannot be resolved now stays as it is.
 */
async function reachableHost(host: string): Promise<string> {
  if (isEveryAddress(host)) return '127.0.0.1';
  const { address, family } = await lookUp(host).catch(() => ({ address: host, family: 4 }));
  return family === 6 ? `[${address}]` : address;
}
