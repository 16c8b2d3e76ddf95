import * as Type from 'typebox';
import type { Clock } from '../../../flows/ports.ts';
import type { ReceivedViews } from '../../../flows/receive/receive-views.ts';
import { type ApiRoute, empty, get, json, jsonText, NO_QUERY, post } from '../requests/api-route.ts';
import { historyRoutes } from './history-routes.ts';
import { limitOf } from './shapes.ts';

const STRICT = { additionalProperties: false } as const;
const LIMIT = Type.Object({ limit: limitOf(100) }, STRICT);
const GRANT = Type.Object(
  {
    gatewayId: Type.String(),
    stream: Type.String({ description: 'A stream that may not use the name of the gateway' }),
  },
  STRICT,
);
const MACHINES = '/gateways/:gatewayId/machines';
const MACHINE = `${MACHINES}/:machineId`;

/** Gateways that send here, and the history of their machines (D-27), in the same form as `/machines` for our own. */
export function gatewayRoutes(gateways: ReceivedViews, clock: Clock): readonly ApiRoute[] {
  const pastOf = (param: (name: string) => string) => gateways.past(param('gatewayId'));
  return [
    get('/gateways', 'technician', NO_QUERY, async () => json(await gateways.list())),
    post('/gateways/grant', 'supervisor', GRANT, async ({ body }) => {
      await gateways.grant(body);
      return empty(204);
    }),
    get(MACHINES, 'technician', NO_QUERY, async ({ param }) => jsonText(await gateways.machines(param('gatewayId')))),
    get(`${MACHINE}/status`, 'technician', NO_QUERY, async ({ param }) =>
      jsonText(await pastOf(param).status(param('machineId'))),
    ),
    get(
      `${MACHINE}/downtimes`,
      'technician',
      Type.Object({ uncategorized: Type.Boolean({ default: false }), limit: limitOf(200) }, STRICT),
      async ({ param, query: { uncategorized, limit } }) =>
        json(await pastOf(param).downtimes(param('machineId'), { uncategorizedOnly: uncategorized, limit })),
    ),
    get(`${MACHINE}/workSessions`, 'technician', LIMIT, async ({ param, query }) =>
      json(await pastOf(param).workSessions(param('machineId'), query.limit)),
    ),
    get(`${MACHINE}/anomalies`, 'technician', LIMIT, async ({ param, query }) =>
      json(await pastOf(param).anomalies(param('machineId'), query.limit)),
    ),
    ...historyRoutes(MACHINE, pastOf, clock),
  ];
}
