import type { OutgoingMessage } from '../../domain/alert/outgoing-message.ts';
import type { Recipient } from '../../domain/alert/recipient.ts';
import { foundText, invalidInput } from '../../domain/error.ts';
import { type EndedPeriod, endedPeriods } from '../../domain/production/report-periods.ts';
import { type ReportSheet, reportLines, reportTitle } from '../../domain/production/report-sheet.ts';
import type { ShiftCalendar } from '../../domain/shift/shift-calendar.ts';
import { shiftDates } from '../../domain/shift/shift-dates.ts';
import type { WorkPlan } from '../../domain/shift/work-plan.ts';
import { DAY_MS, HOUR_MS } from '../../domain/time.ts';
import { Slice } from '../../runtime/slice.ts';
import type { AlertSender } from '../alert/alert-sender.ts';
import type { AlertSettings } from '../alert/alert-settings.ts';
import type { Clock, Incidents } from '../ports.ts';
import type { ReportSheets } from './report-sheets.ts';

/** A gateway that was off sends the reports of this time. Older ones would tell of the week before. */
const OLDEST_MS = DAY_MS;
/** More than the production days within OLDEST_MS. */
const MAX_DATES = 4;
/** A clock that is set back by no more passes the same end of a shift again, whose report is sent already. */
const CORRECTION_MS = HOUR_MS;
/** Messages of one look, or of one call: half of those that may wait. */
export const MAX_REPORT_MESSAGES = 500;

interface ReportOptions {
  readonly sheets: Pick<ReportSheets, 'make'>;
  readonly settings: Pick<AlertSettings, 'recipients' | 'reportedUpTo' | 'putReportedUpTo' | 'writeMessages'>;
  readonly sender: Pick<AlertSender, 'add'>;
  readonly calendar: Pick<ShiftCalendar, 'shiftAt' | 'shiftsOfDate'>;
  readonly plan: WorkPlan;
  readonly clock: Clock;
  readonly newId: () => string;
  readonly incidents: Incidents;
}

/** Sends the reports of shifts, days and weeks to those who get them, by the channels of alerts (D-93). */
export class ReportFlow {
  readonly #options: ReportOptions;

  constructor(options: ReportOptions) {
    this.#options = options;
  }

  /** Sends the reports of all periods that ended since the last call. */
  async sendDue(): Promise<void> {
    const { settings, sender, calendar, clock } = this.#options;
    const { wallMs } = clock.now();
    const sentUpTo = settings.reportedUpTo();
    // The first look of a gateway tells nothing, nor does the first one after the clock was set back by hours.
    if (sentUpTo === null || sentUpTo > wallMs + CORRECTION_MS) return settings.putReportedUpTo(wallMs, []);
    const present = calendar.shiftAt(wallMs);
    if (present.startMs <= sentUpTo) return;
    const afterMs = Math.max(sentUpTo, wallMs - OLDEST_MS);
    const dates = shiftDates(calendar.shiftAt(afterMs).shiftDate, present.shiftDate, MAX_DATES);
    const shifts = dates.flatMap((date) => calendar.shiftsOfDate(date).map(this.#options.plan));
    const messages: OutgoingMessage[] = [];
    for (const period of endedPeriods(shifts, { afterMs, upToMs: wallMs })) {
      messages.push(...(await this.#messages(period)));
    }
    const within = this.#within(messages);
    // They are on disk before the first one goes out.
    await settings.putReportedUpTo(wallMs, within);
    sender.add(within);
  }

  /** Sends the report of a period now. Gives the number of messages. Throws `invalid-input` if there is no such period. */
  async send(period: EndedPeriod): Promise<number> {
    const { settings, sender, calendar } = this.#options;
    checkPeriod(period, calendar);
    const messages = this.#within(await this.#messages(period));
    await settings.writeMessages(messages);
    sender.add(messages);
    return messages.length;
  }

  /** At most MAX_REPORT_MESSAGES. */
  #within(messages: readonly OutgoingMessage[]): readonly OutgoingMessage[] {
    const left = messages.length - MAX_REPORT_MESSAGES;
    if (left <= 0) return messages;
    const detail = `${left} reports were not sent: at most ${MAX_REPORT_MESSAGES} go out at once. Give fewer people reports, or fewer areas.`;
    this.#options.incidents.report({ kind: 'limitReached', subject: 'reports', detail });
    return messages.slice(0, MAX_REPORT_MESSAGES);
  }

  async #messages(period: EndedPeriod): Promise<readonly OutgoingMessage[]> {
    const messages: OutgoingMessage[] = [];
    const sheets = new Map<string | null, ReportSheet | null>();
    const slice = new Slice();
    for (const recipient of this.#options.settings.recipients()) {
      if (!gets(recipient, period)) continue;
      for (const area of recipient.areas.length === 0 ? [null] : recipient.areas) {
        const known = sheets.get(area);
        const sheet = known === undefined ? await this.#options.sheets.make({ ...period, area }) : known;
        sheets.set(area, sheet);
        if (sheet !== null) messages.push(...this.#messagesTo(recipient, sheet));
      }
      await slice.pause();
    }
    return messages;
  }

  #messagesTo({ recipientId, language, ways }: Recipient, sheet: ReportSheet): readonly OutgoingMessage[] {
    const { clock, newId } = this.#options;
    const title = reportTitle(sheet, language);
    const text = reportLines(sheet, language);
    const { period, from, to, shiftName, area } = sheet;
    const report = { period, from, to, shiftName, area };
    const at = clock.now().wallMs;
    return ways.map(({ channelId, address }) => {
      return { messageId: newId(), channelId, recipientId, address, language, at, title, text, lines: [], report };
    });
  }
}

function gets({ reports = [], shifts }: Recipient, { period, shiftName }: EndedPeriod): boolean {
  return reports.includes(period) && (shiftName === null || shifts.length === 0 || shifts.includes(shiftName));
}

/** The production days of each period. */
const DAYS_OF = { shift: 1, day: 1, week: 7 } as const;

/** Throws `invalid-input`. */
function checkPeriod(
  { period, from, to, shiftName }: EndedPeriod,
  calendar: Pick<ShiftCalendar, 'shiftsOfDate'>,
): void {
  const wanted = DAYS_OF[period];
  const { length } = shiftDates(from, to, wanted);
  if (length < wanted) {
    throw invalidInput([{ path: 'from, to', found: `${length} days`, expected: `${wanted} days for a ${period}` }]);
  }
  const names = calendar.shiftsOfDate(from).map((shift) => shift.shiftName);
  const isFit = period === 'shift' ? shiftName !== null && names.includes(shiftName) : shiftName === null;
  if (isFit) return;
  const expected = period === 'shift' ? `one of ${names.join(', ')}` : `nothing for a ${period}`;
  throw invalidInput([{ path: 'shift', found: foundText(shiftName ?? undefined), expected }]);
}
