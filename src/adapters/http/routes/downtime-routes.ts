import Type from 'typebox';
import type { DowntimeView, LocalApi } from '../../../flows/ports.ts';
import { type ApiRoute, get, json, post, put } from '../api-route.ts';
import type { Identity } from '../authenticator.ts';
import { readTime } from '../query-times.ts';
import { ID, limitOf } from './shapes.ts';

const CATEGORY = {
  reasonId: ID,
  note: Type.Optional(Type.Union([Type.String(), Type.Null()])),
  userName: Type.Optional(Type.Union([ID, Type.Null()])),
};
const IDS = Type.Array(ID, { minItems: 1, maxItems: 200 });
const STRICT = { additionalProperties: false } as const;

/** Downtimes: list, categorize one or several, split, merge (contract.md, Local API; D-07). */
export function downtimeRoutes(api: LocalApi): readonly ApiRoute[] {
  return [
    get(
      '/machines/:machineId/downtimes',
      'technician',
      Type.Object({ uncategorized: Type.Boolean({ default: false }), limit: limitOf(200) }, STRICT),
      async ({ param, query: { uncategorized, limit } }) =>
        json(await api.downtimes(param('machineId'), { uncategorizedOnly: uncategorized, limit })),
    ),
    put(
      '/downtimes/:downtimeId/category',
      'technician',
      Type.Object(CATEGORY, STRICT),
      async ({ param, body, identity }) =>
        json(only(await api.categorizeDowntimes([param('downtimeId')], categoryOf(body, identity)))),
    ),
    post(
      '/downtimes/category',
      'technician',
      Type.Object({ downtimeIds: IDS, ...CATEGORY }, STRICT),
      async ({ body, identity }) => json(await api.categorizeDowntimes(body.downtimeIds, categoryOf(body, identity))),
    ),
    post(
      '/downtimes/:downtimeId/split',
      'technician',
      Type.Object({ at: Type.String() }, STRICT),
      async ({ param, body }) => json(await api.splitDowntime(param('downtimeId'), readTime('at', body.at))),
    ),
    post('/downtimes/merge', 'technician', Type.Object({ downtimeIds: IDS }, STRICT), async ({ body }) =>
      json(only(await api.mergeDowntimes(body.downtimeIds))),
    ),
  ];
}

interface CategoryBody {
  readonly reasonId: string;
  readonly note?: string | null | undefined;
  readonly userName?: string | null | undefined;
}

/** Who categorized it: the name given, else whoever's key it is (as TASK-13 has it for tasks). */
function categoryOf({ reasonId, note, userName }: CategoryBody, { principal }: Identity) {
  return { reasonId, note: note ?? null, userName: userName ?? principal };
}

function only(downtimes: readonly DowntimeView[]): object {
  return downtimes[0] ?? {};
}
