import type { ReportFigures, ReportKey, ReportSheet } from '../../domain/production/report-sheet.ts';
import { MAX_REPORT_MACHINES } from '../../domain/production/report-sheet.ts';
import type { ShiftCalendar } from '../../domain/shift/shift-calendar.ts';
import type { ProductionQuestion } from './production-flow.ts';
import type { LongStopView, StopView, SumsView } from './production-views.ts';

/** The reasons and the stops that a report names. */
const NAMED = 5;
/** Sheets that are remembered for the messages that wait. */
const REMEMBERED_SHEETS = 20;

type Rows<Row> = Promise<{ readonly rows: readonly Row[] }>;
type Named = { readonly key: string | null; readonly name: string | null };
type Outside = Pick<SumsView, 'plannedSeconds' | 'outsideGoodParts' | 'outsideBadParts'>;

/** The questions of a report about production. */
export interface ReportSource {
  sums(
    question: ProductionQuestion,
    by: 'machine',
  ): Promise<{ readonly total: ReportFigures & Outside; readonly rows: readonly (ReportFigures & Named)[] }>;
  stops(
    question: ProductionQuestion,
    by: 'reason',
    comparesBefore: false,
  ): Rows<Named & Pick<StopView, 'planned' | 'seconds' | 'count'>>;
  longestStops(
    question: ProductionQuestion,
    reasonId: undefined,
    limit: number,
  ): Promise<readonly Pick<LongStopView, 'startedAt' | 'endedAt' | 'machineId' | 'reasonId' | 'note'>[]>;
  work(question: ProductionQuestion, by: 'operator'): Rows<Pick<Named, 'key'>>;
}

interface ReportSheetsOptions {
  readonly production: ReportSource;
  readonly calendar: Pick<ShiftCalendar, 'timeText'>;
}

/** Makes the figures of reports, and remembers the last ones for the messages that bring them. */
export class ReportSheets {
  readonly #options: ReportSheetsOptions;
  readonly #made = new Map<string, ReportSheet | null>();

  constructor(options: ReportSheetsOptions) {
    this.#options = options;
  }

  /** As it was made, else made again: a message may have waited over a restart. */
  async sheet(report: ReportKey): Promise<ReportSheet | null> {
    return this.#made.get(nameOf(report)) ?? (await this.make(report));
  }

  /** Null if nothing was planned and nothing was made, as on a day off. */
  async make(report: ReportKey): Promise<ReportSheet | null> {
    const sheet = await this.#read(report);
    const name = nameOf(report);
    this.#made.delete(name);
    this.#made.set(name, sheet);
    const [first] = this.#made.keys();
    if (this.#made.size > REMEMBERED_SHEETS && first !== undefined) this.#made.delete(first);
    return sheet;
  }

  async #read({ period, from, to, shiftName, area }: ReportKey): Promise<ReportSheet | null> {
    const { production, calendar } = this.#options;
    const question = { from, to, machineId: null, area, shift: shiftName };
    const { total, rows } = await production.sums(question, 'machine');
    const { goodParts, badParts, outsideGoodParts, outsideBadParts } = total;
    if (total.plannedSeconds + goodParts + badParts + outsideGoodParts + outsideBadParts === 0) return null;
    const stops = await production.stops(question, 'reason', false);
    const longest = await production.longestStops(question, undefined, NAMED);
    const people = await production.work(question, 'operator');
    const names = new Map(rows.map(({ key, name }) => [key, name ?? key ?? '']));
    const reasons = new Map(stops.rows.map(({ key, name }) => [key, name]));
    return {
      period,
      from,
      to,
      shiftName,
      area,
      total: figuresOf(total),
      machines: rows
        .slice(0, MAX_REPORT_MACHINES)
        .map((row) => ({ ...figuresOf(row), name: names.get(row.key) ?? '' })),
      moreMachines: Math.max(0, rows.length - MAX_REPORT_MACHINES),
      reasons: stops.rows
        .filter(({ planned, seconds }) => planned !== true && seconds > 0)
        .slice(0, NAMED)
        .map(({ key, name, seconds, count }) => ({ reason: name ?? key, seconds, count })),
      stops: longest.map(({ startedAt, endedAt, machineId, reasonId, note }) => ({
        at: calendar.timeText(Date.parse(startedAt)).slice(0, 'YYYY-MM-DDTHH:MM'.length).replace('T', ' '),
        seconds: endedAt === null ? null : (Date.parse(endedAt) - Date.parse(startedAt)) / 1_000,
        machine: names.get(machineId) ?? machineId,
        reason: reasonId === null ? null : (reasons.get(reasonId) ?? reasonId),
        note,
      })),
      people: people.rows.flatMap(({ key }) => key ?? []),
    };
  }
}

function nameOf({ period, from, to, shiftName, area }: ReportKey): string {
  return JSON.stringify([period, from, to, shiftName, area]);
}

function figuresOf({
  goodParts,
  badParts,
  targetParts,
  targetedGoodParts,
  oeeIndex,
  runningSeconds,
  unplannedStopSeconds,
}: ReportFigures): ReportFigures {
  return { goodParts, badParts, targetParts, targetedGoodParts, oeeIndex, runningSeconds, unplannedStopSeconds };
}
