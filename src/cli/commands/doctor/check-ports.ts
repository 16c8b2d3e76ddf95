import { readFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import type { LoadedConfig } from '../../../config/load-config.ts';
import { errorCode } from '../../../domain/error-code.ts';
import { installationOf } from '../service/installation.ts';
import { type Finding, fault, ok, warning } from './finding.ts';
import type { GatewayCheck } from './running-gateway.ts';

/** Linux keeps the ports below this one for root. */
const FIRST_OPEN_PORT_FILE = '/proc/sys/net/ipv4/ip_unprivileged_port_start';

interface Listener {
  readonly check: string;
  readonly host: string;
  readonly port: number;
  /** The port of the running gateway; null if it does not run, or gives no answer. */
  readonly ownPort: number | null;
}

/** Whether each port is free for the gateway, or held by it already. */
export function checkPorts(loaded: LoadedConfig, gateway: GatewayCheck): readonly Promise<Finding>[] {
  const { http, deviceHttp, mqtt } = loaded.config;
  const own = gateway.running?.addresses ?? null;
  const listeners: Listener[] = [{ check: 'http.port', ...http, ownPort: own?.httpPort ?? null }];
  const hasMqtt = !opensNoMqtt(loaded, gateway.running);
  if (hasMqtt) listeners.push({ check: 'mqtt.port', ...mqtt, ownPort: own?.mqttPort ?? null });
  if (hasMqtt && mqtt.tls) {
    listeners.push({ check: 'mqtt.tls.port', host: mqtt.host, port: mqtt.tls.port, ownPort: own?.mqttTlsPort ?? null });
  }
  if (deviceHttp) listeners.push({ check: 'deviceHttp.port', ...deviceHttp, ownPort: own?.deviceHttpPort ?? null });
  const findings = listeners.map((listener) => checkPort(listener, gateway));
  return hasMqtt ? findings : [...findings, Promise.resolve(ok('mqtt.port', NO_MQTT))];
}

const NO_MQTT = 'not opened: a central server opens MQTT if its configuration names "mqtt"';

/** Whether this is a central server without MQTT (D-110). One that does not run is known by its database or its package. */
function opensNoMqtt({ config, sources, isMqttGiven }: LoadedConfig, running: GatewayCheck['running']): boolean {
  if (isMqttGiven) return false;
  if (running !== null) return running.addresses.mqttPort === null;
  return config.storage.postgres !== undefined || installationOf(sources.file).service === 'plantgate-central';
}

async function checkPort(
  { check, host, port, ownPort }: Listener,
  { running, isHidden }: GatewayCheck,
): Promise<Finding> {
  if (ownPort !== null && (port === ownPort || port === 0))
    return ok(check, `${ownPort} is held by the running gateway`);
  const obstacle = await tryToListen(host, port);
  if (obstacle === null) {
    if (running !== null) return notHeld(check, port, ownPort);
    return (await isForRoot(port)) ? forRoot(check, port) : ok(check, freeText(port));
  }
  if (obstacle === 'EADDRINUSE' && isHidden) {
    return warning(check, `${port} is in use, perhaps by the running gateway`, 'Run this as root to know by whom.');
  }
  switch (obstacle) {
    case 'EADDRINUSE':
      return fault(
        check,
        `${port} is in use by another program`,
        `Find the program with "ss -ltnp sport = :${port}" and stop it, or choose another ${check}.`,
      );
    case 'EACCES':
      return fault(check, `${port} may not be opened by this user`, `Choose a ${check} above 1023.`);
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
      return fault(
        check,
        `${host} is not an address of this computer`,
        `Set ${check.replace(/port$/, 'host')} to one that "ip address" lists, or to 0.0.0.0.`,
      );
    default:
      return fault(check, `${host}:${port} cannot be opened (${obstacle})`, `Choose another ${check}.`);
  }
}

function notHeld(check: string, port: number, ownPort: number | null): Finding {
  const found = ownPort === null ? 'does not use it' : `listens on ${ownPort}`;
  return warning(
    check,
    `${freeText(port)}, but the running gateway ${found}`,
    'Restart the gateway: its configuration has changed since it started.',
  );
}

/** Whether only root may open the port. Port 0 is any free port. */
async function isForRoot(port: number): Promise<boolean> {
  const firstOpenPort = Number(await readFile(FIRST_OPEN_PORT_FILE, 'utf8').catch(noneWhereAbsent));
  return port > 0 && port < firstOpenPort;
}

/** Other systems keep no port for root, or do not say so. */
function noneWhereAbsent(error: unknown): string {
  if (errorCode(error) === 'ENOENT') return '0';
  throw error;
}

function forRoot(check: string, port: number): Finding {
  return warning(
    check,
    `${port} is free, but the service may not open a port below 1024`,
    `The service is not root: choose a ${check} above 1023.`,
  );
}

function freeText(port: number): string {
  return port === 0 ? 'any free port' : `${port} is free`;
}

/** The code of the error; null if listening there succeeded. */
function tryToListen(host: string, port: number): Promise<string | null> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message));
    server.listen({ host, port, exclusive: true }, () => server.close(() => resolve(null)));
  });
}
