import { mayRead } from '../../people/who.ts';
import { GatewayPlace } from './gateway/gateway-place.tsx';
import { GroupPlace } from './groups/group-place.tsx';
import { GroupsPlace } from './groups/groups-place.tsx';
import { Plants } from './plants.tsx';

interface PlantsPlaceProps {
  readonly gatewayId: string | undefined;
  /** '': all groups. */
  readonly groups: string | undefined;
}

/** The place of a central server, which gateways do not load: all gateways or one, all groups or one. */
export function PlantsPlace({ gatewayId, groups }: PlantsPlaceProps) {
  if (gatewayId !== undefined) return <GatewayPlace gatewayId={gatewayId} />;
  if (groups === undefined || !mayRead('supervisor')) return <Plants />;
  return groups === '' ? <GroupsPlace /> : <GroupPlace key={groups} groupId={groups} />;
}
