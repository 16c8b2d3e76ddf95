import { isIP } from 'node:net';
import type { AnnouncedService } from '../adapters/discovery/announced-records.ts';
import { Discovery } from '../adapters/discovery/discovery.ts';
import { MDNS_PORT } from '../adapters/discovery/mdns-message.ts';
import { MAX_NAMES } from '../adapters/discovery/responder.ts';
import type { Config } from '../config/config-schema.ts';
import type { GatewayAddresses } from '../flows/local-api/system-ports.ts';
import { threadEntry } from '../threads.ts';
import { VERSION } from '../version.ts';
import type { Base } from './gateway-parts.ts';

/** Announces the servers that listen on a network. Null if discovery is off, or if no server does. */
export function openDiscovery(
  { config, incidents, log }: Pick<Base, 'config' | 'incidents' | 'log'>,
  addresses: GatewayAddresses,
): Discovery | null {
  const { gatewayId, discovery } = config;
  const services = servicesOf(config, addresses);
  if (!discovery.enabled || services.length === 0) return null;
  return new Discovery({
    name: discovery.name,
    instance: `plantgate ${gatewayId}`,
    version: VERSION,
    services,
    port: MDNS_PORT,
    onLoopback: false,
    threadEntry: threadEntry('discovery-thread'),
    incidents,
    log,
  });
}

/** The host names that browsers may use while the gateway is announced. */
export function discoveryNames({ discovery: { enabled, name } }: Config): readonly string[] {
  if (!enabled) return [];
  return Array.from({ length: MAX_NAMES }, (_, index) =>
    index === 0 ? `${name}.local` : `${name}-${index + 1}.local`,
  );
}

function servicesOf({ http, mqtt }: Config, addresses: GatewayAddresses): readonly AnnouncedService[] {
  const { httpPort, mqttPort, mqttTlsPort } = addresses;
  const services = [
    { type: http.tls === undefined ? '_http' : '_https', port: httpPort, host: http.host },
    ...(mqttPort === null ? [] : [{ type: '_mqtt', port: mqttPort, host: mqtt.host }]),
    ...(mqttTlsPort === null ? [] : [{ type: '_secure-mqtt', port: mqttTlsPort, host: mqtt.host }]),
  ];
  return services.filter(({ host }) => isIP(host) !== 0 && host !== '::1' && !host.startsWith('127.'));
}
