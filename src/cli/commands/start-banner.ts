import { hostname } from 'node:os';
import { isEveryAddress } from '../../config/config-rules.ts';
import type { Config } from '../../config/config-schema.ts';
import type { GatewayAddresses } from '../../flows/local-api/system-ports.ts';
import { VERSION } from '../../version.ts';

export interface Started {
  readonly config: Config;
  /** The configuration file; null for built-in defaults. */
  readonly file: string | null;
  readonly addresses: GatewayAddresses;
  readonly setUpCode: string | null;
}

/** The text for a person at a terminal when the gateway serves: its addresses, and the next steps. */
export function startBanner({ config, file, addresses, setUpCode }: Started): readonly string[] {
  const { httpPort, mqttPort } = addresses;
  const page = `${config.http.tls === undefined ? 'http' : 'https'}://${hostOf(config.http.host)}:${httpPort}`;
  const next =
    setUpCode === null
      ? `connect a machine: ${page}/docs`
      : `open the page and enter the set-up code ${setUpCode}; then name the first machine`;
  return [
    '',
    `  plantgate ${VERSION} serves. Ctrl-C stops it.`,
    `  the page        ${page}`,
    `  MQTT            ${hostOf(config.mqtt.host)}, port ${mqttPort}`,
    `  data            ${shortened(config.dataDir)}`,
    `  configuration   ${file ?? 'built-in defaults (plantgate.yaml would change them)'}`,
    `  next            ${next}`,
    '',
  ];
}

/** A host for an address that a person can click: "every interface" becomes the name of this computer. */
function hostOf(host: string): string {
  return isEveryAddress(host) ? hostname() : host;
}

/** A user of a container may have no home. */
function shortened(directory: string): string {
  const { HOME: home = '' } = process.env;
  return home !== '' && directory.startsWith(`${home}/`) ? `~${directory.slice(home.length)}` : directory;
}
