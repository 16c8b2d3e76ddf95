import type { Static } from 'typebox';
import * as Type from 'typebox';
import type { CsvRow } from '../../../domain/csv.ts';
import { SPLITS, STOP_SPLITS, WORK_SPLITS } from '../../../domain/production/production-report.ts';
import type { ProductionFlow, ProductionQuestion } from '../../../flows/production/production-flow.ts';
import type { ReportView, StopView, SumsView, WorkView } from '../../../flows/production/production-views.ts';
import { type ApiAnswer, type ApiRoute, described, getBy, json } from '../requests/api-route.ts';
import { DOWNTIME } from './machine-shapes.ts';
import { COUNT, CSV_FORM, choice, DATE, ID, limitOf, orNull, SECONDS, text } from './shapes.ts';

const SHARE = orNull(Type.Number({ minimum: 0, description: 'a share of 1' }));

const SCOPE = {
  from: DATE,
  to: DATE,
  machineId: Type.Optional(ID),
  area: Type.Optional(ID),
  shift: Type.Optional(ID),
};
const FORMAT = { format: Type.Optional(choice(['json', 'csv'])), ...CSV_FORM };
const STRICT = { additionalProperties: false } as const;

const SUMS_QUERY = Type.Object({ ...SCOPE, ...FORMAT, by: choice(SPLITS) }, STRICT);
const WORK_QUERY = Type.Object({ ...SCOPE, ...FORMAT, by: choice(WORK_SPLITS) }, STRICT);
const STOPS_QUERY = Type.Object(
  { ...SCOPE, ...FORMAT, by: choice(STOP_SPLITS), compare: Type.Optional(choice(['before'])) },
  STRICT,
);

const LONGEST_QUERY = Type.Object(
  {
    ...SCOPE,
    reasonId: Type.Optional(ID),
    uncategorized: Type.Boolean({ default: false }),
    limit: limitOf(50),
  },
  STRICT,
);
const LONG_STOP = Type.Intersect([DOWNTIME, Type.Object({ shiftDate: text(), shift: text() })], { title: 'LongStop' });

const SUMS_ROW = Type.Object(
  {
    key: orNull(text()),
    name: orNull(text()),
    goodParts: COUNT,
    badParts: COUNT,
    cycles: COUNT,
    targetParts: orNull(COUNT),
    targetedGoodParts: COUNT,
    plannedSeconds: SECONDS,
    busySeconds: Type.Number(),
    runningSeconds: SECONDS,
    plannedStopSeconds: SECONDS,
    unplannedStopSeconds: SECONDS,
    shortStopSeconds: SECONDS,
    faultSeconds: SECONDS,
    offlineSeconds: SECONDS,
    outsideGoodParts: COUNT,
    outsideBadParts: COUNT,
    outsideRunningSeconds: SECONDS,
    outsideStopSeconds: SECONDS,
    availability: SHARE,
    effectiveness: SHARE,
    qualityRatio: SHARE,
    oeeIndex: SHARE,
    ratedParts: COUNT,
    idealSeconds: SECONDS,
    ratedRunningSeconds: SECONDS,
    unratedPartIds: Type.Array(text()),
    breakdowns: COUNT,
    breakdownSeconds: SECONDS,
    mtbfSeconds: orNull(SECONDS),
    mttrSeconds: orNull(SECONDS),
    topReasonId: orNull(text()),
    topReason: orNull(text()),
    topReasonSeconds: SECONDS,
  },
  { title: 'ProductionSums' },
);

const WORK_ROW = Type.Object(
  {
    key: orNull(text()),
    name: orNull(text()),
    goodParts: COUNT,
    badParts: COUNT,
    cycles: COUNT,
    runningSeconds: SECONDS,
    ratedParts: COUNT,
    idealSeconds: SECONDS,
    effectiveness: SHARE,
    partsPerHour: orNull(Type.Number({ minimum: 0 })),
  },
  { title: 'WorkSums' },
);

const STOP_ROW = Type.Object(
  {
    key: orNull(text()),
    name: orNull(text()),
    group: orNull(text()),
    planned: orNull(Type.Boolean()),
    count: COUNT,
    seconds: SECONDS,
    plannedSeconds: SECONDS,
    outsideSeconds: SECONDS,
    longestSeconds: SECONDS,
    countBefore: orNull(COUNT),
    secondsBefore: orNull(SECONDS),
    outsideSecondsBefore: orNull(SECONDS),
  },
  { title: 'StopSums' },
);

function report<Row extends ReturnType<typeof Type.Object>>(row: Row) {
  return Type.Object({ shiftNames: Type.Array(text()), total: row, rows: Type.Array(row) });
}

/** Sums of production, work and stops over days, machines and shifts (contract.md, Local API). */
export function productionRoutes(production: ProductionFlow): readonly ApiRoute[] {
  return [
    getBy(
      '/production/sums',
      'technician',
      SUMS_QUERY,
      described('Sums production and times by machine, area, shift, day, week or month', report(SUMS_ROW)),
      async ({ query, prefersCsv }) =>
        answer(await production.sums(questionOf(query), query.by), SUMS_ROW, query, 'production', prefersCsv),
    ),
    getBy(
      '/production/work',
      'technician',
      WORK_QUERY,
      described('Sums pieces by part, job or operator', report(WORK_ROW)),
      async ({ query, prefersCsv }) =>
        answer(await production.work(questionOf(query), query.by), WORK_ROW, query, 'work', prefersCsv),
    ),
    getBy(
      '/production/stops',
      'technician',
      STOPS_QUERY,
      described('Sums stops by reason, machine, area, shift or time', report(STOP_ROW)),
      async ({ query, prefersCsv }) =>
        answer(
          await production.stops(questionOf(query), query.by, query.compare === 'before'),
          STOP_ROW,
          query,
          'stops',
          prefersCsv,
        ),
    ),
    longestStops(production),
  ];
}

/** The stops behind a bar of the Pareto chart. */
function longestStops(production: ProductionFlow): ApiRoute {
  return getBy(
    '/production/stops/longest',
    'technician',
    LONGEST_QUERY,
    described('Lists the longest stops, of one reason or without one', Type.Array(LONG_STOP)),
    async ({ query }) => {
      const reasonId = query.uncategorized ? null : query.reasonId;
      return json(await production.longestStops(questionOf(query), reasonId, query.limit));
    },
  );
}

function questionOf(
  query:
    | Static<typeof SUMS_QUERY>
    | Static<typeof WORK_QUERY>
    | Static<typeof STOPS_QUERY>
    | Static<typeof LONGEST_QUERY>,
): ProductionQuestion {
  const { from, to, machineId = null, area = null, shift = null } = query;
  return { from, to, machineId, area, shift };
}

function answer<Row extends SumsView | WorkView | StopView>(
  view: ReportView<Row>,
  shape: { readonly properties: Readonly<Record<string, unknown>> },
  {
    from,
    to,
    by,
    format,
  }: { readonly from: string; readonly to: string; readonly by: string; readonly format?: 'json' | 'csv' | undefined },
  name: string,
  prefersCsv: () => boolean,
): ApiAnswer {
  if (format === 'json' || (format === undefined && !prefersCsv())) return json(view);
  const columns = Object.keys(shape.properties);
  return { kind: 'csv', fileName: `${name}-by-${by}-${from}-${to}.csv`, pages: csvPages(columns, view.rows) };
}

async function* csvPages(columns: readonly string[], rows: readonly object[]): AsyncIterable<Iterable<CsvRow>> {
  yield [columns];
  yield rows.map((row) => {
    const fields: Readonly<Record<string, unknown>> = { ...row };
    return columns.map((column) => fieldOf(fields[column]));
  });
}

/** A list stands in one field, with blanks between its values. */
function fieldOf(value: unknown): string | number | null {
  if (Array.isArray(value)) return value.join(' ');
  if (typeof value === 'number' || typeof value === 'string') return value;
  return typeof value === 'boolean' ? String(value) : null;
}
