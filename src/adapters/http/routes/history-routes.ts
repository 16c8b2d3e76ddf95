import type { Static } from 'typebox';
import * as Type from 'typebox';
import type { CsvRow } from '../../../domain/csv.ts';
import { CodedError } from '../../../domain/error.ts';
import type { Clock } from '../../../flows/ports.ts';
import type { MachinePast } from '../../../flows/receive/received-views.ts';
import type { TimeRange } from '../../../flows/store-ports.ts';
import { jsonArray } from '../answers/send-fragments.ts';
import type { Identity } from '../guards/authenticator.ts';
import { LIMITS } from '../limits.ts';
import { type ApiAnswer, type ApiRoute, described, getBy, json, type RouteDescription } from '../requests/api-route.ts';
import { readRange } from '../requests/query-times.ts';
import { COUNT, CSV_FORM, choice, DATE_TIME, orNull, record, SECONDS, SHIFT_DATE, TIME, text } from './shapes.ts';

const TOTALS = {
  goodParts: COUNT,
  badParts: COUNT,
  cycles: COUNT,
  runningSeconds: SECONDS,
  stoppedSeconds: SECONDS,
  downSeconds: SECONDS,
  faultSeconds: SECONDS,
  overrideSeconds: SECONDS,
  offlineSeconds: SECONDS,
};

const PRODUCTION = Type.Object(
  {
    shiftDate: text('YYYY-MM-DD'),
    ...TOTALS,
    shifts: Type.Array(Type.Object({ shift: text(), ...TOTALS }, { title: 'ShiftTotals' })),
  },
  { title: 'Production' },
);

const SPAN = Type.Object(
  {
    state: choice(['running', 'stopped', 'down', 'fault', 'offline']),
    startedAt: DATE_TIME,
    endedAt: orNull(DATE_TIME),
    downtimeId: orNull(text()),
    reasonId: orNull(text()),
  },
  { title: 'Span' },
);

const STRICT = { additionalProperties: false } as const;
const VARIABLE_QUERY = Type.Object(
  {
    from: TIME,
    to: TIME,
    shiftDate: SHIFT_DATE,
    buckets: Type.Optional(Type.Integer({ minimum: 1, maximum: LIMITS.buckets })),
    format: Type.Optional(Type.Unsafe<'json' | 'csv'>({ type: 'string', enum: ['json', 'csv'] })),
    ...CSV_FORM,
  },
  STRICT,
);

interface HistoryDescriptions {
  readonly production: RouteDescription;
  readonly variable: RouteDescription;
  readonly timeline: RouteDescription;
}

/** Descriptions for the gateway's own machines. */
export const OWN_HISTORY: HistoryDescriptions = {
  production: described('Reads the production of a day', PRODUCTION),
  variable: described('Reads a process variable', record('Variable', '{name, points} or {name, buckets}')),
  timeline: described('Lists the spans of the timeline', Type.Array(SPAN)),
};

/** Descriptions for the machines of gateways that send here. */
export const RECEIVED_HISTORY: HistoryDescriptions = {
  production: described(
    'Reads the production of a machine of another gateway',
    record('ReceivedProduction', 'a day’s production with its gateway'),
  ),
  variable: described(
    'Reads a variable of a machine of another gateway',
    record('ReceivedVariable', 'points or buckets with their gateway'),
  ),
  timeline: described(
    'Lists spans of a machine of another gateway',
    Type.Array(record('ReceivedSpan', 'a span with its gateway')),
  ),
};

/** A call about one machine. */
export interface OneCall {
  readonly identity: Identity;
  readonly param: (name: string) => string;
}

/**
 * Production, variables and timelines of machines (contract.md, Local API). `base` is the path of one machine, and
 * `pastOf` gives the history of the machines.
 */
export function historyRoutes(
  base: string,
  pastOf: (call: OneCall) => MachinePast,
  descriptions: HistoryDescriptions,
  clock: Clock,
): readonly ApiRoute[] {
  return [
    getBy(
      `${base}/production`,
      'technician',
      Type.Object({ shiftDate: SHIFT_DATE }, STRICT),
      descriptions.production,
      async (call) => json(await pastOf(call).production(call.param('machineId'), call.query.shiftDate ?? null)),
    ),
    getBy(
      `${base}/variables/:name`,
      'technician',
      VARIABLE_QUERY,
      descriptions.variable,
      ({ query, prefersCsv, ...call }) => {
        const range = rangeOf(query, clock);
        const [past, machineId, name] = [pastOf(call), call.param('machineId'), call.param('name')];
        if (query.format === 'csv' || (query.format === undefined && prefersCsv()))
          return variableCsv(past, machineId, name, range);
        return variable(past, machineId, name, query.buckets, range);
      },
    ),
    getBy(
      `${base}/timeline`,
      'technician',
      Type.Object({ from: TIME, to: TIME }, STRICT),
      descriptions.timeline,
      async ({ query, ...call }) => {
        const spans = await pastOf(call).timeline(call.param('machineId'), readRange(query, clock.now().wallMs));
        return { kind: 'fragments', fragments: jsonArray(spans, (span) => span) };
      },
    ),
  ];
}

type VariableRange = TimeRange | { readonly shiftDate: string };

function rangeOf(query: Static<typeof VARIABLE_QUERY>, clock: Clock): VariableRange {
  const { shiftDate, from, to } = query;
  if (shiftDate === undefined) return readRange(query, clock.now().wallMs);
  if (from === undefined && to === undefined) return { shiftDate };
  throw new CodedError('invalid-input', 'shiftDate, from, to: a query has either shiftDate or a range, not both');
}

async function variable(
  api: MachinePast,
  machineId: string,
  name: string,
  buckets: number | undefined,
  range: VariableRange,
): Promise<ApiAnswer> {
  const start = `{"name":${JSON.stringify(name)},`;
  if (buckets !== undefined) {
    const found = await api.variableBuckets(machineId, name, range, buckets);
    const list = jsonArray(found, ({ at, ...values }) => ({ time: timeText(at), ...values }));
    return { kind: 'fragments', fragments: joined(`${start}"buckets":`, list, '}') };
  }
  const { points, truncated } = await api.variablePoints(machineId, name, range);
  const list = jsonArray(points, ({ at, value }) => ({ time: timeText(at), value }));
  return { kind: 'fragments', fragments: joined(`${start}"truncated":${truncated},"points":`, list, '}') };
}

/** Every point of the range, in a file. A file cannot show that points are missing, so too long a range is refused. */
async function variableCsv(
  api: MachinePast,
  machineId: string,
  name: string,
  range: VariableRange,
): Promise<ApiAnswer> {
  const { points, truncated } = await api.variablePoints(machineId, name, range);
  if (truncated) {
    throw new CodedError('too-large', 'from, to: found more points than one answer holds, expected a shorter range');
  }
  return { kind: 'csv', fileName: `${machineId}-${name}.csv`, columns: ['time', 'value'], pages: [pointRows(points)] };
}

function* pointRows(points: Iterable<{ readonly at: number; readonly value: number }>): Iterable<CsvRow> {
  for (const { at, value } of points) yield [timeText(at), value];
}

function* joined(start: string, fragments: Iterable<string>, end: string): Iterable<string> {
  yield start;
  yield* fragments;
  yield end;
}

function timeText(wallMs: number): string {
  return new Date(wallMs).toISOString();
}
