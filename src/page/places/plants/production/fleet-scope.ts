import { plantName, seesSeveral } from '../../../several-plants/own-plants.ts';

/** The gateways and machines that a view of production is about. */
export type FleetScope =
  | { readonly kind: 'all' }
  | { readonly kind: 'plant'; readonly plantId: string }
  | { readonly kind: 'gateway'; readonly gatewayId: string }
  | { readonly kind: 'machine'; readonly gatewayId: string; readonly machineId: string };

/** The scope in an address: '' for all, `gateway`, `gateway/machine`, or `/plant`, because no gateway has an empty id. */
export function fleetScope(of: string): FleetScope {
  if (of === '') return { kind: 'all' };
  const at = of.lastIndexOf('/');
  if (at < 0) return { kind: 'gateway', gatewayId: of };
  const last = of.slice(at + 1);
  return at === 0 ? { kind: 'plant', plantId: last } : { kind: 'machine', gatewayId: of.slice(0, at), machineId: last };
}

/** The scope of a plant, as addresses have it. */
export function ofPlant(plantId: string): string {
  return `/${plantId}`;
}

/** What the gateway is asked about. */
export function askedAbout(scope: FleetScope): Readonly<Record<string, string>> {
  switch (scope.kind) {
    case 'all':
      return { gatewayId: '*' };
    case 'plant':
      return { plantId: scope.plantId };
    case 'gateway':
      return { gatewayId: scope.gatewayId };
    case 'machine':
      return { machineId: `${scope.gatewayId}/${scope.machineId}` };
  }
}

/** What its rows are about: the next smaller thing. */
export function rowsOf({ kind }: FleetScope): 'plant' | 'gateway' | 'machine' | 'day' {
  if (kind === 'all' && seesSeveral()) return 'plant';
  return kind === 'machine' ? 'day' : kind === 'gateway' ? 'machine' : 'gateway';
}

/** The name of a row, without the gateway of a machine. */
export function rowName(by: ReturnType<typeof rowsOf>, key: string): string {
  if (by === 'plant') return plantName(key);
  return by === 'machine' ? machineIn(key) : key;
}

/** `gateway/machine` without the gateway. */
export function machineIn(key: string): string {
  return key.slice(key.lastIndexOf('/') + 1);
}
