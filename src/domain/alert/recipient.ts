import type { ReportPeriod } from '../production/report-periods.ts';
import type { Now } from '../time.ts';
import type { Severity, ToldRole } from './alert-rule.ts';

/** A moment, and what the wall clock of the plant shows then. */
export interface Moment {
  readonly now: Now;
  readonly minuteOfDay: number;
  /** 1 is Monday, 7 is Sunday. */
  readonly weekday: number;
  readonly shiftName: string;
  /** In a planned shift, and in none of its breaks. */
  readonly isPlanned: boolean;
}

/** A way to a recipient: a channel, and the address there; null where the channel alone is the address. */
export interface Way {
  readonly channelId: string;
  readonly address: string | null;
}

/** Hours without messages, in minutes of the day. They may pass midnight, and begin on the given days of the week. */
export interface QuietHours {
  readonly fromMinute: number;
  readonly toMinute: number;
  /** Empty: every day. */
  readonly weekdays: readonly number[];
  /** Red alerts are told all the same. */
  readonly redComes: boolean;
}

/** A person or a group that is told. */
export interface Recipient {
  readonly recipientId: string;
  readonly name: string;
  readonly role: ToldRole | null;
  /** The areas whose alerts concern it; empty: all. Alerts of the gateway itself have no area and concern everybody. */
  readonly areas: readonly string[];
  /** The shifts in which it is told; empty: all. */
  readonly shifts: readonly string[];
  readonly quiet: QuietHours | null;
  readonly language: 'en' | 'de';
  readonly ways: readonly Way[];
  /** The reports that it gets, of its areas, and of its shifts alone. Left out: none. */
  readonly reports?: readonly ReportPeriod[];
}

const ROLE_PREFIX = 'role:';

/** The recipients that a step names, by id or by role, for an alert of that area. Each once. */
export function recipientsOf(
  to: readonly string[],
  area: string | null,
  recipients: readonly Recipient[],
): readonly Recipient[] {
  const ids = new Set(to);
  return recipients.filter(
    ({ recipientId, role, areas }) =>
      (ids.has(recipientId) || (role !== null && ids.has(`${ROLE_PREFIX}${role}`))) &&
      (area === null || areas.length === 0 || areas.includes(area)),
  );
}

/** Whether a recipient may be told now: in its shifts, and outside of its quiet hours. */
export function isReachable({ shifts, quiet }: Recipient, severity: Severity, moment: Moment): boolean {
  if (shifts.length > 0 && !shifts.includes(moment.shiftName)) return false;
  if (quiet === null || (severity === 'red' && quiet.redComes)) return true;
  return !isQuiet(quiet, moment);
}

const MINUTES_A_DAY = 24 * 60;

function isQuiet({ fromMinute, toMinute, weekdays }: QuietHours, { minuteOfDay, weekday }: Moment): boolean {
  const lengthMinutes = (toMinute - fromMinute + MINUTES_A_DAY) % MINUTES_A_DAY || MINUTES_A_DAY;
  const sinceMinutes = (minuteOfDay - fromMinute + MINUTES_A_DAY) % MINUTES_A_DAY;
  if (sinceMinutes >= lengthMinutes) return false;
  if (weekdays.length === 0) return true;
  const isFromYesterday = minuteOfDay < fromMinute;
  const beganOn = isFromYesterday ? ((weekday + 5) % 7) + 1 : weekday;
  return weekdays.includes(beganOn);
}
