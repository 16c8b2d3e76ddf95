import type { EndedPeriod } from './report-periods.ts';

export type ReportLanguage = 'en' | 'de';

/** Pieces and times of a machine, or of all. Shares are shares of 1. */
export interface ReportFigures {
  readonly goodParts: number;
  readonly badParts: number;
  readonly targetParts: number | null;
  /** The good parts of machines that have a target. */
  readonly targetedGoodParts: number;
  readonly oeeIndex: number | null;
  readonly runningSeconds: number;
  readonly unplannedStopSeconds: number;
}

/** Which report it is. */
export interface ReportKey extends EndedPeriod {
  /** Null: the whole plant. */
  readonly area: string | null;
}

/** The report of a period that is over, as it is sent. */
export interface ReportSheet extends ReportKey {
  readonly total: ReportFigures;
  /** At most MAX_REPORT_MACHINES. `moreMachines` is the number of the others. */
  readonly machines: readonly (ReportFigures & { readonly name: string })[];
  readonly moreMachines: number;
  /** The unplanned reasons that cost most, the worst first. `reason` null: none was given yet. */
  readonly reasons: readonly { readonly reason: string | null; readonly seconds: number; readonly count: number }[];
  /** The longest stops. `seconds` null: it still lasts. `at` is the time on the clocks of the plant: `2026-11-24 06:12`. */
  readonly stops: readonly {
    readonly at: string;
    readonly seconds: number | null;
    readonly machine: string;
    readonly reason: string | null;
    readonly note: string | null;
  }[];
  readonly people: readonly string[];
}

/** The size of a mail is bounded. */
export const MAX_REPORT_MACHINES = 500;

/** The machines that a message of plain text names. */
const MAX_LINES = 20;

export const REPORT_WORDS = {
  en: {
    shift: 'Shift report',
    day: 'Report of the day',
    week: 'Report of the week',
    weekOf: (from: string, to: string) => `Week from ${from} to ${to}`,
    made: (good: string) => `${good} good parts`,
    ofTarget: (share: string) => `${share} of the target`,
    machine: 'Machine',
    good: 'Good',
    target: 'Target',
    scrap: 'Scrap',
    running: 'Running',
    unplanned: 'Unplanned stops',
    all: 'All',
    reasons: 'Reasons that cost most',
    longest: 'Longest stops',
    from: 'From',
    lasted: 'Lasted',
    reason: 'Reason',
    note: 'Note',
    times: 'Times',
    noReason: 'No reason yet',
    lasts: 'still lasts',
    none: 'None.',
    people: 'Who was there',
    more: (count: number) => `and ${count} more machines`,
    stop: 'To stop these messages: plantgate, Alerts, Who is told.',
  },
  de: {
    shift: 'Schichtbericht',
    day: 'Tagesbericht',
    week: 'Wochenbericht',
    weekOf: (from: string, to: string) => `Woche vom ${from} bis ${to}`,
    made: (good: string) => `${good} Gutteile`,
    ofTarget: (share: string) => `${share} vom Soll`,
    machine: 'Maschine',
    good: 'Gut',
    target: 'Soll',
    scrap: 'Ausschuss',
    running: 'Läuft',
    unplanned: 'Ungeplante Stillstände',
    all: 'Alle',
    reasons: 'Die teuersten Gründe',
    longest: 'Längste Stillstände',
    from: 'Ab',
    lasted: 'Dauer',
    reason: 'Grund',
    note: 'Notiz',
    times: 'Anzahl',
    noReason: 'Noch ohne Grund',
    lasts: 'dauert an',
    none: 'Keine.',
    people: 'Wer da war',
    more: (count: number) => `und ${count} weitere Maschinen`,
    stop: 'Abbestellen: plantgate, Alarme, Wer erfährt es.',
  },
} as const;

/** Each takes 20 µs to make. */
const NUMBERS = { en: new Intl.NumberFormat('en'), de: new Intl.NumberFormat('de') } as const;
const PERCENTS = {
  en: new Intl.NumberFormat('en', { style: 'percent', maximumFractionDigits: 1 }),
  de: new Intl.NumberFormat('de', { style: 'percent', maximumFractionDigits: 1 }),
} as const;
const DAY = { weekday: 'long', day: 'numeric', month: 'long', timeZone: 'UTC' } as const;
const DAYS = { en: new Intl.DateTimeFormat('en-GB', DAY), de: new Intl.DateTimeFormat('de', DAY) } as const;

export function reportNumber(value: number, language: ReportLanguage): string {
  return NUMBERS[language].format(value);
}

export function reportPercent(share: number | null, language: ReportLanguage): string {
  return share === null ? '–' : PERCENTS[language].format(share);
}

export function scrapShare({ goodParts, badParts }: ReportFigures): number | null {
  return goodParts + badParts === 0 ? null : badParts / (goodParts + badParts);
}

/** `Shift report: Early, Tuesday 24 November, Hall A`. */
export function reportTitle({ period, from, to, shiftName, area }: ReportSheet, language: ReportLanguage): string {
  const words = REPORT_WORDS[language];
  const day = (date: string) => DAYS[language].format(Date.parse(date));
  const when = period === 'week' ? words.weekOf(day(from), day(to)) : day(from);
  return `${words[period]}: ${[shiftName, when, area].filter((part) => part !== null).join(', ')}`;
}

/** `12,340 good parts, 96% of the target, OEE 71%`. */
export function reportHeadline(figures: ReportFigures, language: ReportLanguage): string {
  const words = REPORT_WORDS[language];
  const { goodParts, targetParts, targetedGoodParts, oeeIndex } = figures;
  const parts = [words.made(reportNumber(goodParts, language))];
  if (targetParts !== null && targetParts > 0) {
    parts.push(words.ofTarget(reportPercent(targetedGoodParts / targetParts, language)));
  }
  if (oeeIndex !== null) parts.push(`OEE ${reportPercent(oeeIndex, language)}`);
  return parts.join(', ');
}

/** The report as lines of plain text. */
export function reportLines(sheet: ReportSheet, language: ReportLanguage): readonly string[] {
  const words = REPORT_WORDS[language];
  const machines = sheet.machines.slice(0, MAX_LINES).map((one) => `${one.name}: ${reportHeadline(one, language)}`);
  const left = sheet.machines.length - machines.length + sheet.moreMachines;
  const reasons = sheet.reasons.map(
    ({ reason, seconds, count }) => `${reason ?? words.noReason}: ${reportTime(seconds)}, ${count} ×`,
  );
  return [
    reportHeadline(sheet.total, language),
    ...machines,
    ...(left > 0 ? [words.more(left)] : []),
    ...(reasons.length > 0 ? [`${words.reasons}: ${reasons.join('; ')}`] : []),
  ];
}

const MINUTE_S = 60;

/** `24 min`, or `2 h 30` from an hour on. */
export function reportTime(seconds: number): string {
  const minutes = Math.round(seconds / MINUTE_S);
  if (minutes < MINUTE_S) return `${minutes} min`;
  return `${Math.floor(minutes / MINUTE_S)} h ${String(minutes % MINUTE_S).padStart(2, '0')}`;
}
