import type { Static } from 'typebox';
import * as Type from 'typebox';

import type { LocalApiFlow } from '../../../flows/local-api/local-api-flow.ts';
import type {
  DowntimeExport,
  DowntimeRow,
  DowntimeSearchOfAll,
  DowntimeView,
} from '../../../flows/local-api/local-api-ports.ts';
import type { Clock } from '../../../flows/ports.ts';
import { csvAnswer } from '../answers/csv-pages.ts';
import type { Identity } from '../guards/authenticator.ts';
import { LIMITS } from '../limits.ts';
import { type ApiAnswer, type ApiRoute, described, get, getBy, json, post, put } from '../requests/api-route.ts';
import { readRange, readTime } from '../requests/query-times.ts';
import { DOWNTIME } from './machine-shapes.ts';
import { COUNT, CSV, CSV_FORM, ID, limitOf, TIME, text } from './shapes.ts';

const REASON_COUNT = Type.Object({ reasonId: text(), count: COUNT }, { title: 'ReasonCount' });

const CATEGORY = {
  /** Null removes the category. */
  reasonId: Type.Union([ID, Type.Null()]),
  note: Type.Optional(Type.Union([Type.String(), Type.Null()])),
  userName: Type.Optional(Type.Union([ID, Type.Null()])),
};
const IDS = Type.Array(ID, { minItems: 1, maxItems: LIMITS.editedDowntimes });
const STRICT = { additionalProperties: false } as const;

/** Without a limit CSV has all rows. */
const LIST_QUERY = Type.Object(
  {
    uncategorized: Type.Boolean({ default: false }),
    limit: Type.Optional(Type.Integer({ minimum: 1, maximum: LIMITS.listedRecords })),
    format: Type.Optional(Type.Unsafe<'json' | 'csv'>({ type: 'string', enum: ['json', 'csv'] })),
    ...CSV_FORM,
  },
  STRICT,
);
const LISTED_BY_DEFAULT = 200;

const SEARCH_QUERY = Type.Object(
  {
    uncategorized: Type.Boolean({ default: false }),
    machineId: Type.Optional(ID),
    from: TIME,
    to: TIME,
    limit: limitOf(200),
  },
  STRICT,
);

/** Downtimes: list, export, categorize one or several, split, merge (contract.md, Local API; D-07, D-29). */
export function downtimeRoutes(api: LocalApiFlow, clock: Clock): readonly ApiRoute[] {
  return [
    getBy(
      '/machines/:machineId/downtimes',
      'technician',
      LIST_QUERY,
      described('Lists downtimes of a machine', Type.Array(DOWNTIME)),
      async ({ param, query: { uncategorized: uncategorizedOnly, limit, format }, prefersCsv }) => {
        const machineId = param('machineId');
        if (format === 'csv' || (format === undefined && prefersCsv())) {
          return downtimeCsv(api, { machineId, uncategorizedOnly, limit: limit ?? null });
        }
        return json(await api.downtimes(machineId, { uncategorizedOnly, limit: limit ?? LISTED_BY_DEFAULT }));
      },
    ),
    getBy(
      '/downtimes',
      'technician',
      SEARCH_QUERY,
      described('Lists downtimes of all machines', Type.Array(DOWNTIME)),
      async ({ query }) => json(await api.allDowntimes(query.machineId ?? null, searchOf(query, clock))),
    ),
    get(
      '/machines/:machineId/reasonCounts',
      'technician',
      described('Counts the reasons of the last 30 days', Type.Array(REASON_COUNT)),
      async ({ param }) => json(await api.reasonCounts(param('machineId'))),
    ),
    getBy(
      '/downtimes.csv',
      'technician',
      Type.Object({ uncategorized: Type.Boolean({ default: false }), ...CSV_FORM }, STRICT),
      described('Exports downtimes of all machines', CSV),
      ({ query: { uncategorized: uncategorizedOnly } }) =>
        downtimeCsv(api, { machineId: null, uncategorizedOnly, limit: null }),
    ),
    put(
      '/downtimes/:downtimeId/category',
      'technician',
      Type.Object(CATEGORY, STRICT),
      described('Gives a downtime its reason', DOWNTIME),
      async ({ param, body, identity }) =>
        json(only(await api.categorizeDowntimes([param('downtimeId')], categoryOf(body, identity)))),
    ),
    post(
      '/downtimes/category',
      'technician',
      Type.Object({ downtimeIds: IDS, ...CATEGORY }, STRICT),
      described('Gives several downtimes one reason', Type.Array(DOWNTIME)),
      async ({ body, identity }) => json(await api.categorizeDowntimes(body.downtimeIds, categoryOf(body, identity))),
    ),
    post(
      '/downtimes/:downtimeId/split',
      'technician',
      Type.Object({ at: Type.String() }, STRICT),
      described('Splits a downtime in two', Type.Array(DOWNTIME)),
      async ({ param, body }) => json(await api.splitDowntime(param('downtimeId'), readTime('at', body.at))),
    ),
    post(
      '/downtimes/merge',
      'technician',
      Type.Object({ downtimeIds: IDS }, STRICT),
      described('Merges two downtimes that follow each other', DOWNTIME),
      async ({ body }) => json(only(await api.mergeDowntimes(body.downtimeIds))),
    ),
  ];
}

function searchOf(query: Static<typeof SEARCH_QUERY>, clock: Clock): DowntimeSearchOfAll {
  const { uncategorized: uncategorizedOnly, from, to, limit } = query;
  const isOfTime = from !== undefined || to !== undefined;
  return { uncategorizedOnly, range: isOfTime ? readRange(query, clock.now().wallMs) : null, limit };
}

const COLUMNS = [
  'downtimeId',
  'machineId',
  'machineName',
  'startedAt',
  'endedAt',
  'durationSeconds',
  'reasonId',
  'reason',
  'group',
  'note',
  'userName',
  'shiftDate',
  'shift',
] as const satisfies readonly (keyof DowntimeRow)[];

function downtimeCsv(api: LocalApiFlow, asked: DowntimeExport): ApiAnswer {
  const fileName = asked.machineId === null ? 'downtimes.csv' : `downtimes-${asked.machineId}.csv`;
  return csvAnswer(fileName, COLUMNS, api.exportDowntimes(asked));
}

interface CategoryBody {
  readonly reasonId: string | null;
  readonly note?: string | null | undefined;
  readonly userName?: string | null | undefined;
}

/** The name of the person who categorized it: the given name, else the principal of the key (as TASK-13 for tasks). */
function categoryOf({ reasonId, note, userName }: CategoryBody, { principal }: Identity) {
  return { reasonId, note: note ?? null, userName: userName ?? (reasonId === null ? null : principal) };
}

function only(downtimes: readonly DowntimeView[]): object {
  return downtimes[0] ?? {};
}
