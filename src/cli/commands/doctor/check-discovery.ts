import { addressesOf } from '../../../adapters/discovery/ask-network.ts';
import { MDNS_PORT } from '../../../adapters/discovery/mdns-message.ts';
import { ownNetworks } from '../../../adapters/discovery/own-networks.ts';
import type { Config } from '../../../config/config-schema.ts';
import { errorMessage } from '../../../domain/error-text.ts';
import { type Finding, ok, warning } from './finding.ts';
import type { RunningGateway } from './running-gateway.ts';

const WAIT_MS = 1_500;

/** Asks the network for the name of this gateway, as another computer would. */
export async function checkDiscovery(
  { discovery: { enabled, name }, http, mqtt }: Config,
  running: RunningGateway | null,
): Promise<Finding> {
  const check = 'discovery';
  const fullName = `${name}.local`;
  if (!enabled) return ok(check, 'switched off by discovery.enabled');
  if (running === null) return ok(check, `not asked, as no gateway runs that would answer for ${fullName}`);
  if ([http, mqtt].every(({ host }) => host.startsWith('127.'))) return ok(check, 'nothing listens on a network');
  const networks = ownNetworks(false);
  const remedy = `Let UDP port ${MDNS_PORT} pass the firewall, or switch it off with discovery.enabled: false. Addresses work without it.`;
  try {
    const found = await addressesOf(fullName, { port: MDNS_PORT, networks, timeoutMs: WAIT_MS });
    if (found.length === 0) return warning(check, `no computer answers for ${fullName}`, remedy);
    const others = found.filter((address) => !networks.some((network) => network.address === address));
    if (others.length === 0) return ok(check, `${fullName} is ${found.join(', ')}`);
    const renaming = `The log of this gateway says by which name it is found. Set discovery.name to one that is free.`;
    return warning(check, `${fullName} is another computer as well: ${others.join(', ')}`, renaming);
  } catch (error) {
    return warning(check, `the network cannot be asked for ${fullName}: ${errorMessage(error)}`, remedy);
  }
}
