import type { Route } from '../../app/route.ts';
import { mayRead } from '../../people/who.ts';
import { centralAct } from '../../words/words.ts';
import { fleetWords } from './fleet-words.ts';
import { GatewayPlace } from './gateway/gateway-place.tsx';
import { GroupPlace } from './groups/group-place.tsx';
import { GroupsPlace } from './groups/groups-place.tsx';
import { Plants } from './plants.tsx';
import { FleetProduction } from './production/fleet-production.tsx';

// Events names acts on gateways and groups.
centralAct.value = (act) => fleetWords.value.act(act);

/** The place of a central server, which gateways do not load: all gateways or one, all groups or one, production. */
export function PlantsPlace({ shown }: { readonly shown: Extract<Route, { place: 'plants' }> }) {
  const { gatewayId, groups, production, period } = shown;
  if (production !== undefined) return <FleetProduction of={production} period={period} />;
  if (gatewayId !== undefined) return <GatewayPlace gatewayId={gatewayId} />;
  if (groups === undefined || !mayRead('supervisor')) return <Plants />;
  return groups === '' ? <GroupsPlace /> : <GroupPlace key={groups} groupId={groups} />;
}
