import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../domain/time.ts';
import { language, words } from '../words/words.ts';
import { now } from './clock.ts';

const SECOND_MS = 1_000;

/** A duration: `40 s`, `14 min`, `2 h 10 min`, `3 d`. It is never negative, even if the clocks differ. */
export function age(durationMs: number): string {
  const { day, hour, minute, second } = words.value.units;
  const lasting = Math.max(0, durationMs);
  if (lasting < MINUTE_MS) return `${Math.floor(lasting / SECOND_MS)} ${second}`;
  if (lasting < HOUR_MS) return `${Math.floor(lasting / MINUTE_MS)} ${minute}`;
  if (lasting >= 2 * DAY_MS) return `${Math.floor(lasting / DAY_MS)} ${day}`;
  const minutes = Math.floor((lasting % HOUR_MS) / MINUTE_MS);
  const hours = `${Math.floor(lasting / HOUR_MS)} ${hour}`;
  return minutes === 0 ? hours : `${hours} ${minutes} ${minute}`;
}

/** A duration to the second: `4 min 5 s`, `2 h 10 min`. */
export function duration(durationMs: number): string {
  const { minute, second } = words.value.units;
  const seconds = Math.floor((durationMs % MINUTE_MS) / SECOND_MS);
  if (durationMs < MINUTE_MS || durationMs >= HOUR_MS || seconds === 0) return age(durationMs);
  return `${Math.floor(durationMs / MINUTE_MS)} ${minute} ${seconds} ${second}`;
}

/** Formatters are costly to make: one for each style and language is kept. */
function kept<Format>(make: (language: string) => Format): () => Format {
  const made = new Map<string, Format>();
  return () => {
    const known = made.get(language.value);
    if (known !== undefined) return known;
    const format = make(language.value);
    made.set(language.value, format);
    return format;
  };
}

/** The plant's time zone, which the gateway names in the document. Shifts and reports have it, wherever one reads them. */
export const timeZone = knownTimeZone(document.documentElement.dataset.timeZone);

/** The zone, or the browser's own if an old browser does not know it, because otherwise the page would stay blank. */
function knownTimeZone(zone: string | undefined): string {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: zone }).resolvedOptions().timeZone;
  } catch {
    return new Intl.DateTimeFormat().resolvedOptions().timeZone;
  }
}

const TIME = { timeZone, hour: '2-digit', minute: '2-digit', hourCycle: 'h23' } as const;
const DAY = { weekday: 'short', day: 'numeric', month: 'short' } as const;
const timeFormat = kept((of) => new Intl.DateTimeFormat(of, TIME));
const secondFormat = kept((of) => new Intl.DateTimeFormat(of, { ...TIME, second: '2-digit' }));
const dayFormat = kept((of) => new Intl.DateTimeFormat(of, { ...DAY, timeZone }));
const productionDayFormat = kept((of) => new Intl.DateTimeFormat(of, { ...DAY, timeZone: 'UTC' }));
const wholeDayFormat = kept((of) => new Intl.DateTimeFormat(of, { dateStyle: 'short', timeZone }));
const dateFormat = kept(
  (of) => new Intl.DateTimeFormat(of, { timeZone, dateStyle: 'medium', timeStyle: 'short', hourCycle: 'h23' }),
);
const percentFormat = kept(
  (of) => new Intl.NumberFormat(of, { style: 'percent', minimumFractionDigits: 1, maximumFractionDigits: 1 }),
);
const wholePercentFormat = kept((of) => new Intl.NumberFormat(of, { style: 'percent', maximumFractionDigits: 0 }));
const MOST_DECIMALS = 4;
/** Number formats, by the number of decimals. */
const numberFormats = Array.from({ length: MOST_DECIMALS + 1 }, (_, decimals) =>
  kept((of) => new Intl.NumberFormat(of, { maximumFractionDigits: decimals })),
);

/** A time of day: `14:18`. */
export function timeOfDay(at: number | string): string {
  return timeFormat().format(new Date(at));
}

/** `Wed 25 Nov`. */
export function day(at: number | string): string {
  return dayFormat().format(new Date(at));
}

/** A day of production, `2026-11-25`, in the same form. It has no time, and so no zone. */
export function productionDay(date: string): string {
  return productionDayFormat().format(new Date(date));
}

/** Whether it is on this day in the plant. */
export function isToday(at: number | string): boolean {
  const { format } = wholeDayFormat();
  return format(new Date(at)) === format(now.value);
}

/** A time of day today, else with its date. */
export function timeOrDate(at: number | string): string {
  return isToday(at) ? timeOfDay(at) : dateAndTime(at);
}

/** A time of day today, else with its day: `Sat 28 Nov, 15:28`. */
export function timeOrDay(at: number | string): string {
  return isToday(at) ? timeOfDay(at) : `${day(at)}, ${timeOfDay(at)}`;
}

/** A time of day with seconds. */
export function timeToTheSecond(at: number | string): string {
  return secondFormat().format(new Date(at));
}

/** A number as the language writes it, with at most so many decimals. */
export function number(value: number, decimals = 3): string {
  return numberFormats[Math.min(decimals, MOST_DECIMALS)]?.().format(value) ?? String(value);
}

/** `22 Nov 2026, 06:18`. */
export function dateAndTime(at: number | string): string {
  return dateFormat().format(new Date(at));
}

/** A share of one: `2.4 %`. */
export function percent(share: number): string {
  return percentFormat().format(share);
}

/** A share of one without decimals: `76%`. */
export function wholePercent(share: number): string {
  return wholePercentFormat().format(share);
}

/** A sum of working time, without days: `71 h 23 min`, `14 min`. */
export function workTime(seconds: number): string {
  const { hour, minute } = words.value.units;
  const minutes = Math.round(seconds / 60);
  if (minutes < 60) return `${minutes} ${minute}`;
  return minutes % 60 === 0
    ? `${minutes / 60} ${hour}`
    : `${Math.floor(minutes / 60)} ${hour} ${minutes % 60} ${minute}`;
}
