import { networkInterfaces } from 'node:os';

/** An IPv4 address of this computer, with the network that it is in. */
export interface OwnNetwork {
  readonly address: string;
  readonly netmask: string;
}

/** The networks of this computer. With the loopback interface only where a test wants to be alone. */
export function ownNetworks(onLoopback: boolean): readonly OwnNetwork[] {
  const entries = Object.values(networkInterfaces()).flatMap((list) => list ?? []);
  return entries
    .filter(({ family, internal }) => family === 'IPv4' && internal === onLoopback)
    .map(({ address, netmask }) => ({ address, netmask }));
}

/** The network that an address is in; null: it came over a router, and is not answered (RFC 6762, 5.5). */
export function networkOf(address: string, networks: readonly OwnNetwork[]): OwnNetwork | null {
  const isIn = ({ address: own, netmask }: OwnNetwork) => {
    const mask = asNumber(netmask);
    return (asNumber(own) & mask) === (asNumber(address) & mask);
  };
  return networks.find(isIn) ?? null;
}

/** Addresses in their order. */
export function asNumber(address: string): number {
  return address.split('.').reduce((sum, part) => sum * 256 + Number(part), 0);
}
