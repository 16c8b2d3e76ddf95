import * as Type from 'typebox';
import { shiftDates } from '../../../domain/shift/shift-dates.ts';
import type { DeliveryFlow } from '../../../flows/library/delivery-flow.ts';
import type { LocalApiFlow } from '../../../flows/local-api/local-api-flow.ts';
import type { ProductionRow } from '../../../flows/local-api/local-api-ports.ts';
import type { Clock } from '../../../flows/ports.ts';
import { jsonArray } from '../answers/send-fragments.ts';
import { LIMITS } from '../limits.ts';
import { type ApiRoute, described, get, getBy, json, put, remove } from '../requests/api-route.ts';
import { readRange } from '../requests/query-times.ts';
import {
  HOURS,
  MACHINE,
  MESSAGE,
  OVERRIDE,
  RECENT_PART,
  SHIFT_PRODUCTION,
  TROUBLE,
  VARIABLE,
} from './machine-shapes.ts';
import { DATE, ID, limitOf, record, SHIFT_DATE, TIME } from './shapes.ts';

const STRICT = { additionalProperties: false } as const;

/** Machines, their part, and their latest messages and history (contract.md, Local API). */
export function machineRoutes(api: LocalApiFlow, clock: Clock): readonly ApiRoute[] {
  return [
    get(
      '/machines',
      'technician',
      described('Lists machines with their status and decision', Type.Array(MACHINE)),
      () => ({
        kind: 'fragments',
        fragments: jsonArray(api.machines(), (machine) => machine),
      }),
    ),
    get(
      '/machines/:machineId',
      'technician',
      described('Reads a machine with its status and decision', MACHINE),
      ({ param }) => json(api.machine(param('machineId'))),
    ),
    get(
      '/machines/:machineId/message',
      'technician',
      described('Reads the last message of a machine as it came', record('LastMessage', '{message} or null')),
      ({ param }) => json({ message: api.lastMessage(param('machineId')) }),
    ),
    get(
      '/machines/:machineId/messages',
      'technician',
      described('Lists the last 50 messages of a machine', Type.Object({ messages: Type.Array(MESSAGE) })),
      ({ param }) => json({ messages: api.messages(param('machineId')) }),
    ),
    get(
      '/machines/:machineId/troubles',
      'technician',
      described(
        'Lists what went wrong with a machine, and what may have',
        Type.Object({ troubles: Type.Array(TROUBLE) }),
      ),
      ({ param }) => json({ troubles: api.troubles(param('machineId')) }),
    ),
    put(
      '/machines/:machineId/part',
      'technician',
      Type.Object({ partId: ID }, STRICT),
      described('Selects a part', MACHINE),
      async ({ param, body }) => json(await api.selectPart(param('machineId'), body.partId)),
    ),
    remove('/machines/:machineId/part', 'technician', described('Takes the part away', MACHINE), async ({ param }) =>
      json(await api.clearPart(param('machineId'))),
    ),
    ...machineHistoryRoutes(api, clock),
  ];
}

function machineHistoryRoutes(api: LocalApiFlow, clock: Clock): readonly ApiRoute[] {
  return [
    getBy(
      '/machines/:machineId/production/hours',
      'technician',
      Type.Object({ shiftDate: SHIFT_DATE }, STRICT),
      described('Reads what was made by the hour of a shift', HOURS),
      async ({ param, query }) => json(await api.hourlyProduction(param('machineId'), query.shiftDate ?? null)),
    ),
    getBy(
      '/machines/:machineId/production/shifts',
      'technician',
      Type.Object({ from: DATE, to: DATE }, STRICT),
      described('Reads what was made by shift', Type.Array(SHIFT_PRODUCTION)),
      async ({ param, query }) => json(await shiftsIn(api, param('machineId'), query)),
    ),
    getBy(
      '/machines/:machineId/overrides',
      'technician',
      Type.Object({ from: TIME, to: TIME }, STRICT),
      described('Lists when the machine ran past the rules', Type.Array(OVERRIDE)),
      async ({ param, query }) => json(await api.overrides(param('machineId'), readRange(query, clock.now().wallMs))),
    ),
    get(
      '/machines/:machineId/variables',
      'technician',
      described('Lists process variables with their newest value', Type.Array(VARIABLE)),
      async ({ param }) => json(await api.variables(param('machineId'))),
    ),
    get(
      '/machines/:machineId/recentParts',
      'technician',
      described('Lists parts that a machine made or was set to lately, the newest first', Type.Array(RECENT_PART)),
      async ({ param }) => json(await api.recentParts(param('machineId'))),
    ),
    getBy(
      '/machines/:machineId/workSessions',
      'technician',
      Type.Object({ limit: limitOf(100) }, STRICT),
      described(
        'Lists work sessions, the newest first',
        Type.Array(record('WorkSession', 'job, part, operator, times, counts (D-10)')),
      ),
      async ({ param, query }) => json(await api.workSessions(param('machineId'), query.limit)),
    ),
    getBy(
      '/machines/:machineId/anomalies',
      'technician',
      Type.Object({ limit: limitOf(100) }, STRICT),
      described(
        'Lists counters that fell without a reboot',
        Type.Array(record('Anomaly', 'a counter that fell without a restart of the controller: counter, from, to, at')),
      ),
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

const DELIVERY_QUERY = Type.Object({ profileId: ID }, { additionalProperties: false });

/** Explains why a profile is not on a machine, by the interface's five checks (contract.md, Local API). */
export function deliveryRoutes(deliveries: DeliveryFlow): readonly ApiRoute[] {
  return [
    getBy(
      '/machines/:machineId/delivery',
      'technician',
      DELIVERY_QUERY,
      described(
        'Explains why a profile is on a machine or not',
        record('DeliveryChecks', 'the five checks of the interface'),
      ),
      async ({ param, query }) => json(await deliveries.explain(param('machineId'), query.profileId)),
    ),
  ];
}
