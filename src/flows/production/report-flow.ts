import type { OutgoingMessage } from '../../domain/alert/outgoing-message.ts';
import type { Recipient } from '../../domain/alert/recipient.ts';
import { type EndedPeriod, endedPeriods } from '../../domain/production/report-periods.ts';
import {
  MAX_REPORT_MACHINES,
  type ReportFigures,
  type ReportSheet,
  reportLines,
  reportTitle,
} from '../../domain/production/report-sheet.ts';
import type { ShiftCalendar } from '../../domain/shift/shift-calendar.ts';
import { shiftDates } from '../../domain/shift/shift-dates.ts';
import type { WorkPlan } from '../../domain/shift/work-plan.ts';
import { DAY_MS } from '../../domain/time.ts';
import type { AlertSender } from '../alert/alert-sender.ts';
import type { AlertSettings } from '../alert/alert-settings.ts';
import type { Clock } from '../ports.ts';
import type { ProductionQuestion } from './production-flow.ts';
import type { LongStopView, StopView, SumsView } from './production-views.ts';

/** A gateway that was off sends the reports of this time. Older ones would tell of the week before. */
const OLDEST_MS = DAY_MS;
/** More than the production days within OLDEST_MS. */
const MAX_DATES = 4;
/** The reasons and the stops that a report names. */
const NAMED = 5;

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

interface ReportOptions {
  readonly production: ReportSource;
  readonly settings: Pick<AlertSettings, 'recipients' | 'reportedUpTo' | 'putReportedUpTo'>;
  readonly sender: Pick<AlertSender, 'add'>;
  readonly calendar: Pick<ShiftCalendar, 'shiftAt' | 'shiftsOfDate' | 'timeText'>;
  readonly plan: WorkPlan;
  readonly clock: Clock;
  readonly newId: () => string;
}

/** Sends the reports of shifts, days and weeks to those who get them, by the channels of alerts (D-93). */
export class ReportFlow {
  readonly #options: ReportOptions;

  constructor(options: ReportOptions) {
    this.#options = options;
  }

  /** Sends the reports of all periods that ended since the last call. */
  async sendDue(): Promise<void> {
    const { settings, calendar, clock } = this.#options;
    const { wallMs } = clock.now();
    const sentUpTo = settings.reportedUpTo();
    // The first look of a gateway tells nothing, nor does the first one after the clock was set back.
    if (sentUpTo === null || sentUpTo > wallMs) return settings.putReportedUpTo(wallMs, []);
    const present = calendar.shiftAt(wallMs);
    if (present.startMs <= sentUpTo) return;
    const afterMs = Math.max(sentUpTo, wallMs - OLDEST_MS);
    const dates = shiftDates(calendar.shiftAt(afterMs).shiftDate, present.shiftDate, MAX_DATES);
    const shifts = dates.flatMap((date) => calendar.shiftsOfDate(date).map(this.#options.plan));
    const messages: OutgoingMessage[] = [];
    for (const period of endedPeriods(shifts, { afterMs, upToMs: wallMs })) {
      messages.push(...(await this.#messages(period)));
    }
    await this.#hand(messages, wallMs);
  }

  /** Sends the report of a period now. Gives the number of messages. */
  async send(period: EndedPeriod): Promise<number> {
    const { settings, clock } = this.#options;
    const messages = await this.#messages(period);
    await this.#hand(messages, settings.reportedUpTo() ?? clock.now().wallMs);
    return messages.length;
  }

  /** They are on disk before the first one goes out, together with the time up to which reports are sent. */
  async #hand(messages: readonly OutgoingMessage[], upToMs: number): Promise<void> {
    const { settings, sender } = this.#options;
    await settings.putReportedUpTo(upToMs, messages);
    sender.add(messages);
  }

  async #messages(period: EndedPeriod): Promise<readonly OutgoingMessage[]> {
    const messages: OutgoingMessage[] = [];
    const sheets = new Map<string | null, ReportSheet | null>();
    for (const recipient of this.#options.settings.recipients()) {
      if (!gets(recipient, period)) continue;
      for (const area of recipient.areas.length === 0 ? [null] : recipient.areas) {
        const sheet = sheets.get(area) ?? (await this.#sheet(period, area));
        sheets.set(area, sheet);
        if (sheet !== null) messages.push(...this.#messagesTo(recipient, sheet));
      }
    }
    return messages;
  }

  #messagesTo({ recipientId, language, ways }: Recipient, report: ReportSheet): readonly OutgoingMessage[] {
    const { clock, newId } = this.#options;
    const title = reportTitle(report, language);
    const text = reportLines(report, language);
    const at = clock.now().wallMs;
    return ways.map(({ channelId, address }) => {
      return { messageId: newId(), channelId, recipientId, address, language, at, title, text, lines: [], report };
    });
  }

  /** Null if nothing was planned and nothing was made, as on a day off. */
  async #sheet(period: EndedPeriod, area: string | null): Promise<ReportSheet | null> {
    const { production, calendar } = this.#options;
    const { from, to, shiftName } = period;
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
      ...period,
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

function gets({ reports = [], shifts }: Recipient, { period, shiftName }: EndedPeriod): boolean {
  return reports.includes(period) && (shiftName === null || shifts.length === 0 || shifts.includes(shiftName));
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
