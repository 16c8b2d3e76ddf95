import { networkInterfaces } from 'node:os';

/** An IPv4 address of this computer, with the network that it is in. */
export interface OwnNetwork {
  readonly address: string;
  readonly netmask: string;
}

/** The networks of this computer. The loopback interface is used only by tests. */
export function ownNetworks(onLoopback: boolean): readonly OwnNetwork[] {
  const entries = Object.values(networkInterfaces()).flatMap((list) => list ?? []);
  return entries
    .filter(({ family, internal }) => family === 'IPv4' && internal === onLoopback)
    .map(({ address, netmask }) => ({ address, netmask }));
}

/** The network of an address; null if the question came over a router, which is not answered (RFC 6762, 5.5). */
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
