import type { Static } from 'typebox';
import * as Type from 'typebox';
import type { CsvRow } from '../../../domain/csv.ts';
import { invalidInput } from '../../../domain/error.ts';
import { narrowed } from '../../../domain/plant/plant-scope.ts';
import { FLEET_SPLITS, FLEET_STOP_SPLITS, WORK_SPLITS } from '../../../domain/production/production-report.ts';
import { LOG_PARTS } from '../../../domain/production/stop-log.ts';
import type { Actor } from '../../../flows/ports.ts';
import type { ProductionFlow, ProductionQuestion } from '../../../flows/production/production-flow.ts';
import type { ReportView, StopView, SumsView, WorkView } from '../../../flows/production/production-views.ts';
import type { LogLineView, LogQuestion } from '../../../flows/production/stop-log-view.ts';
import type { FleetProductionViews } from '../../../flows/receive/received-views.ts';
import { jsonObject } from '../answers/send-fragments.ts';
import { LIMITS } from '../limits.ts';
import { type ApiAnswer, type ApiRoute, described, getBy, json } from '../requests/api-route.ts';
import { DOWNTIME } from './machine-shapes.ts';
import { COUNT, CSV_FORM, choice, DATE, DATE_TIME, ID, limitOf, orNull, SECONDS, text } from './shapes.ts';

/** In place of the id of a gateway. */
const ALL_GATEWAYS = '*';

/** Asks about gateways of one plant alone. */
export const PLANT_OF_GATEWAYS = Type.String({
  minLength: 1,
  maxLength: LIMITS.idLength,
  description: 'of the gateways that send here; without gatewayId: all of them',
});

/** Production days of gateways differ at night and by time zone. */
export const UP_TO = Type.Literal('present', {
  description: 'of gateways: as many days, up to the present production day of each gateway',
});

const SHARE = orNull(Type.Number({ minimum: 0, description: 'a share of 1' }));

const SCOPE = {
  from: DATE,
  to: DATE,
  machineId: Type.Optional(ID),
  area: Type.Optional(ID),
  shift: Type.Optional(ID),
  gatewayId: Type.Optional(
    Type.String({ minLength: 1, maxLength: 256, description: 'of a gateway that sends here; * for all of them' }),
  ),
  plantId: Type.Optional(PLANT_OF_GATEWAYS),
  upTo: Type.Optional(UP_TO),
};
const FORMAT = { format: Type.Optional(choice(['json', 'csv'])), ...CSV_FORM };
const STRICT = { additionalProperties: false } as const;

const SUMS_QUERY = Type.Object({ ...SCOPE, ...FORMAT, by: choice(FLEET_SPLITS) }, STRICT);
const WORK_QUERY = Type.Object({ ...SCOPE, ...FORMAT, by: choice(WORK_SPLITS) }, STRICT);
const STOPS_QUERY = Type.Object(
  { ...SCOPE, ...FORMAT, by: choice(FLEET_STOP_SPLITS), compare: Type.Optional(choice(['before'])) },
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

const LOG_QUERY = Type.Object(
  {
    ...SCOPE,
    ...FORMAT,
    part: Type.Optional(choice(LOG_PARTS)),
    reasonId: Type.Optional(ID),
    text: Type.Optional(ID),
    limit: limitOf(100),
  },
  STRICT,
);
const LOG_LINE = Type.Object(
  {
    downtimeId: orNull(text('null for a fault without a stop')),
    machineId: text(),
    machineName: orNull(text()),
    startedAt: DATE_TIME,
    endedAt: orNull(DATE_TIME),
    seconds: SECONDS,
    faultSeconds: SECONDS,
    reasonId: orNull(text()),
    reason: orNull(text()),
    group: orNull(text()),
    note: orNull(text()),
    userName: orNull(text()),
    partId: orNull(text()),
    shiftDate: orNull(text()),
    shift: orNull(text()),
  },
  { title: 'LogLine' },
);
const LOG = Type.Object(
  {
    shiftNames: Type.Array(text()),
    total: Type.Object({ count: COUNT, seconds: SECONDS, faultSeconds: SECONDS }, { title: 'LogTotal' }),
    rows: Type.Array(LOG_LINE),
  },
  { title: 'StopLog' },
);

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
export function productionRoutes(production: ProductionFlow, fleet: FleetProductionViews): readonly ApiRoute[] {
  return [
    getBy(
      '/production/sums',
      'technician',
      SUMS_QUERY,
      described(
        'Sums production and times by machine, area, shift, day, week or month; of gateways also by gateway or plant',
        report(SUMS_ROW),
      ),
      async ({ query, prefersCsv, identity }) => {
        const asked = fleetQuestion(query, identity);
        const view =
          asked === null ? await production.sums(questionOf(query), query.by) : await fleet.sums.sums(asked, query.by);
        return answer(view, SUMS_ROW, query, 'production', prefersCsv);
      },
    ),
    getBy(
      '/production/work',
      'technician',
      WORK_QUERY,
      described('Sums pieces by part, job or operator', report(WORK_ROW)),
      async ({ query, prefersCsv, identity }) => {
        const asked = fleetQuestion(query, identity);
        const view =
          asked === null ? await production.work(questionOf(query), query.by) : await fleet.sums.work(asked, query.by);
        return answer(view, WORK_ROW, query, 'work', prefersCsv);
      },
    ),
    getBy(
      '/production/stops',
      'technician',
      STOPS_QUERY,
      described('Sums stops by reason, machine, area, shift or time', report(STOP_ROW)),
      async ({ query, prefersCsv, identity }) => {
        const asked = fleetQuestion(query, identity);
        const comparesBefore = query.compare === 'before';
        const view =
          asked === null
            ? await production.stops(questionOf(query), query.by, comparesBefore)
            : await fleet.sums.stops(asked, query.by, comparesBefore);
        return answer(view, STOP_ROW, query, 'stops', prefersCsv);
      },
    ),
    longestStops(production, fleet),
    stopLog(production, fleet),
  ];
}

/** The stops behind a bar of the Pareto chart. */
function longestStops(production: ProductionFlow, fleet: FleetProductionViews): ApiRoute {
  return getBy(
    '/production/stops/longest',
    'technician',
    LONGEST_QUERY,
    described('Lists the longest stops, of one reason or without one', Type.Array(LONG_STOP)),
    async ({ query, identity }) => {
      const reasonId = query.uncategorized ? null : query.reasonId;
      const asked = fleetQuestion(query, identity);
      if (asked !== null) return json(await fleet.log.longest(asked, reasonId, query.limit));
      return json(await production.longestStops(questionOf(query), reasonId, query.limit));
    },
  );
}

/** Every stop and every fault, newest first. As CSV all of them, machine by machine. */
function stopLog(production: ProductionFlow, fleet: FleetProductionViews): ApiRoute {
  return getBy(
    '/production/log',
    'technician',
    LOG_QUERY,
    described('Lists stops and faults, newest first, with their sums', LOG),
    async ({ query, prefersCsv, identity }) => {
      const { from, to, part = null, reasonId = null, text: found = null, limit } = query;
      const wanted: LogQuestion = { part, reasonId, text: found };
      const asked = fleetQuestion(query, identity);
      if (!isCsv(query.format, prefersCsv)) {
        return json(
          asked === null
            ? await production.log(questionOf(query), wanted, limit)
            : await fleet.log.log(asked, wanted, limit),
        );
      }
      const lines =
        asked === null ? production.exportLog(questionOf(query), wanted) : fleet.log.exportLog(asked, wanted);
      return { kind: 'csv', fileName: `log-${from}-${to}.csv`, columns: LOG_COLUMNS, pages: logPages(lines) };
    },
  );
}

const LOG_COLUMNS = Object.keys(LOG_LINE.properties);

async function* logPages(pages: AsyncIterable<readonly LogLineView[]>): AsyncIterable<Iterable<CsvRow>> {
  for await (const page of pages) yield csvRows(LOG_COLUMNS, page);
}

function isCsv(format: 'json' | 'csv' | undefined, prefersCsv: () => boolean): boolean {
  return format === 'csv' || (format === undefined && prefersCsv());
}

type FleetQuestion = Parameters<FleetProductionViews['log']['longest']>[0];

type ScopeQuery =
  | Static<typeof SUMS_QUERY>
  | Static<typeof WORK_QUERY>
  | Static<typeof STOPS_QUERY>
  | Static<typeof LONGEST_QUERY>
  | Static<typeof LOG_QUERY>;

function questionOf(query: ScopeQuery): ProductionQuestion {
  const { from, to, machineId = null, area = null, shift = null } = query;
  return { from, to, machineId, area, shift };
}

/** The question about the production of gateways of the caller's plants; null: it is about our own machines. */
function fleetQuestion(query: ScopeQuery, caller: Actor): FleetQuestion | null {
  const asked = askedGateways(query, caller);
  return asked === null ? null : { ...questionOf(query), ...asked };
}

/**
 * The gateways of the caller's plants that a query is about; null: it is about our own machines. Throws `invalid-input`
 * if `upTo` stands there without gateways.
 */
export function askedGateways(
  { gatewayId, machineId = '', plantId, upTo }: Pick<ScopeQuery, 'gatewayId' | 'machineId' | 'plantId' | 'upTo'>,
  { plants = 'all' }: Actor,
): Pick<FleetQuestion, 'gatewayId' | 'plants' | 'isUpToPresent'> | null {
  if (gatewayId === undefined && plantId === undefined && !machineId.includes('/')) {
    if (upTo === undefined) return null;
    throw invalidInput([
      { path: 'upTo', found: upTo, expected: 'gatewayId, plantId or a machine of a gateway beside it' },
    ]);
  }
  const isOne = gatewayId !== undefined && gatewayId !== ALL_GATEWAYS;
  return {
    gatewayId: isOne ? gatewayId : null,
    plants: narrowed(plants, plantId),
    isUpToPresent: upTo !== undefined,
  };
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
  if (!isCsv(format, prefersCsv)) {
    const { shiftNames, total, rows } = view;
    const fields = [
      { name: 'shiftNames', value: shiftNames },
      { name: 'total', value: total },
      { name: 'rows', list: rows },
    ];
    return { kind: 'fragments', fragments: jsonObject(fields) };
  }
  const columns = Object.keys(shape.properties);
  return { kind: 'csv', fileName: `${name}-by-${by}-${from}-${to}.csv`, columns, pages: [csvRows(columns, view.rows)] };
}

function csvRows(columns: readonly string[], rows: readonly object[]): readonly CsvRow[] {
  return rows.map((row) => {
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
