import { GatewayPlace } from './gateway/gateway-place.tsx';
import { Plants } from './plants.tsx';

/** The place of a central server, which gateways do not load: all gateways, or one. */
export function PlantsPlace({ gatewayId }: { readonly gatewayId: string | undefined }) {
  return gatewayId === undefined ? <Plants /> : <GatewayPlace gatewayId={gatewayId} />;
}
