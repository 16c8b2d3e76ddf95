import * as Type from 'typebox';
import type { SyncStatusFlow } from '../../../flows/forward/sync-status.ts';
import { LIMITS } from '../limits.ts';
import { type ApiRoute, empty, get, json, jsonText, NO_QUERY, remove, route } from '../requests/api-route.ts';
import { limitOf } from './shapes.ts';

const PAGE = Type.Object(
  { after: Type.Integer({ minimum: 0, default: 0 }), take: limitOf(LIMITS.listedRecords) },
  { additionalProperties: false },
);

/** The state of the exchange with the central server, and the actions on records that it refused (contract.md, `/sync`). */
export function queueRoutes(sync: SyncStatusFlow): readonly ApiRoute[] {
  return [
    get('/sync', 'technician', NO_QUERY, async () => json(await sync.status())),
    get('/sync/queue', 'technician', PAGE, async ({ query: { after, take } }) =>
      jsonText(await sync.queueRows(after, take)),
    ),
    get('/sync/setAside', 'technician', PAGE, async ({ query: { after, take } }) =>
      json(await sync.setAsideFrom(after, take)),
    ),
    route({
      method: 'POST',
      path: '/sync/setAside/:id/retry',
      role: 'supervisor',
      answer: async ({ param }) => {
        await sync.retry(param('id'));
        return empty(204);
      },
    }),
    remove('/sync/setAside/:id', 'supervisor', async ({ param }) => {
      await sync.discard(param('id'));
      return empty(204);
    }),
  ];
}
