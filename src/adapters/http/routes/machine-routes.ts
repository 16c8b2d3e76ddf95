import Type from 'typebox';
import type { LocalApi } from '../../../flows/local-api/local-api-ports.ts';
import { jsonArray } from '../answers/send-fragments.ts';
import { type ApiRoute, get, json, NO_QUERY, put, remove } from '../requests/api-route.ts';
import { ID, limitOf } from './shapes.ts';

/** Machines, their part, and what they said and did lately (contract.md, Local API). */
export function machineRoutes(api: LocalApi): readonly ApiRoute[] {
  return [
    get('/machines', 'technician', NO_QUERY, () => ({
      kind: 'fragments',
      fragments: jsonArray(api.machines(), (machine) => machine),
    })),
    get('/machines/:machineId', 'technician', NO_QUERY, ({ param }) => json(api.machine(param('machineId')))),
    get('/machines/:machineId/message', 'technician', NO_QUERY, ({ param }) =>
      json({ message: api.lastMessage(param('machineId')) }),
    ),
    get('/machines/:machineId/messages', 'technician', NO_QUERY, ({ param }) =>
      json({ messages: api.messages(param('machineId')) }),
    ),
    get('/machines/:machineId/troubles', 'technician', NO_QUERY, ({ param }) =>
      json({ troubles: api.troubles(param('machineId')) }),
    ),
    put(
      '/machines/:machineId/part',
      'technician',
      Type.Object({ partId: ID }, { additionalProperties: false }),
      async ({ param, body }) => json(await api.selectPart(param('machineId'), body.partId)),
    ),
    remove('/machines/:machineId/part', 'technician', async ({ param }) =>
      json(await api.clearPart(param('machineId'))),
    ),
    get(
      '/machines/:machineId/workSessions',
      'technician',
      Type.Object({ limit: limitOf(100) }, { additionalProperties: false }),
      async ({ param, query }) => json(await api.workSessions(param('machineId'), query.limit)),
    ),
    get(
      '/machines/:machineId/anomalies',
      'technician',
      Type.Object({ limit: limitOf(100) }, { additionalProperties: false }),
      async ({ param, query }) => json(await api.anomalies(param('machineId'), query.limit)),
    ),
  ];
}
