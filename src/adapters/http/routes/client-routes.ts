import type { ConnectedClient, GatewayVitals } from '../../../flows/local-api/local-api-ports.ts';
import type { Clock } from '../../../flows/ports.ts';
import { jsonArray } from '../answers/send-fragments.ts';
import { type ApiRoute, get, NO_QUERY } from '../requests/api-route.ts';

/** Clients of the broker that are connected now (contract.md, Local API). */
export function clientRoutes(vitals: Pick<GatewayVitals, 'clients'>, clock: Clock): readonly ApiRoute[] {
  return [
    get('/clients', 'technician', NO_QUERY, () => {
      const { wallMs } = clock.now();
      return { kind: 'fragments', fragments: jsonArray(vitals.clients(), (client) => clientView(client, wallMs)) };
    }),
  ];
}

function clientView({ connectedMs, keepaliveMs, ...client }: ConnectedClient, wallMs: number) {
  const since = new Date(wallMs - connectedMs).toISOString();
  return { ...client, since, keepaliveSeconds: keepaliveMs / 1_000 };
}
