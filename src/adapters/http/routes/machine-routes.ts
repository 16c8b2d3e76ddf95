import * as Type from 'typebox';
import { shiftDates } from '../../../domain/shift/shift-dates.ts';
import type { LocalApiFlow } from '../../../flows/local-api/local-api.ts';
import type { ProductionRow } from '../../../flows/local-api/local-api-ports.ts';
import type { Clock } from '../../../flows/ports.ts';
import { jsonArray } from '../answers/send-fragments.ts';
import { LIMITS } from '../limits.ts';
import { type ApiRoute, get, json, NO_QUERY, put, remove } from '../requests/api-route.ts';
import { readRange } from '../requests/query-times.ts';
import { DATE, ID, limitOf, SHIFT_DATE, TIME } from './shapes.ts';

const STRICT = { additionalProperties: false } as const;

/** Machines, their part, and their latest messages and history (contract.md, Local API). */
export function machineRoutes(api: LocalApiFlow, clock: Clock): readonly ApiRoute[] {
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
    put('/machines/:machineId/part', 'technician', Type.Object({ partId: ID }, STRICT), async ({ param, body }) =>
      json(await api.selectPart(param('machineId'), body.partId)),
    ),
    remove('/machines/:machineId/part', 'technician', async ({ param }) =>
      json(await api.clearPart(param('machineId'))),
    ),
    get(
      '/machines/:machineId/production/hours',
      'technician',
      Type.Object({ shiftDate: SHIFT_DATE }, STRICT),
      async ({ param, query }) => json(await api.hourlyProduction(param('machineId'), query.shiftDate ?? null)),
    ),
    get(
      '/machines/:machineId/production/shifts',
      'technician',
      Type.Object({ from: DATE, to: DATE }, STRICT),
      async ({ param, query }) => json(await shiftsIn(api, param('machineId'), query)),
    ),
    get(
      '/machines/:machineId/overrides',
      'technician',
      Type.Object({ from: TIME, to: TIME }, STRICT),
      async ({ param, query }) => json(await api.overrides(param('machineId'), readRange(query, clock.now().wallMs))),
    ),
    get('/machines/:machineId/variables', 'technician', NO_QUERY, async ({ param }) =>
      json(await api.variables(param('machineId'))),
    ),
    get('/machines/:machineId/recentParts', 'technician', NO_QUERY, async ({ param }) =>
      json(await api.recentParts(param('machineId'))),
    ),
    get(
      '/machines/:machineId/workSessions',
      'technician',
      Type.Object({ limit: limitOf(100) }, STRICT),
      async ({ param, query }) => json(await api.workSessions(param('machineId'), query.limit)),
    ),
    get(
      '/machines/:machineId/anomalies',
      'technician',
      Type.Object({ limit: limitOf(100) }, STRICT),
      async ({ param, query }) => json(await api.anomalies(param('machineId'), query.limit)),
    ),
  ];
}

/** Every shift of a range of production days. */
async function shiftsIn(
  api: LocalApiFlow,
  machineId: string,
  { from, to }: { readonly from: string; readonly to: string },
): Promise<readonly ProductionRow[]> {
  const rows: ProductionRow[] = [];
  const pages = api.exportProduction(machineId, shiftDates(from, to, LIMITS.exportedDays));
  for await (const page of pages) rows.push(...page);
  return rows;
}
