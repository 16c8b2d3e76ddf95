import { language, words } from '../words/words.ts';

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;

/** How long something lasts: `40 s`, `14 min`, `2 h 10 min`. Never less than nothing, whatever the clocks say. */
export function age(durationMs: number): string {
  const { hour, minute, second } = words.value.units;
  const lasting = Math.max(0, durationMs);
  if (lasting < MINUTE_MS) return `${Math.floor(lasting / SECOND_MS)} ${second}`;
  if (lasting < HOUR_MS) return `${Math.floor(lasting / MINUTE_MS)} ${minute}`;
  const minutes = Math.floor((lasting % HOUR_MS) / MINUTE_MS);
  const hours = `${Math.floor(lasting / HOUR_MS)} ${hour}`;
  return minutes === 0 ? hours : `${hours} ${minutes} ${minute}`;
}

/** A time of day: `14:18`. */
export function timeOfDay(at: number | string): string {
  return new Intl.DateTimeFormat(language.value, { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' }).format(
    new Date(at),
  );
}

/** The same with seconds. */
export function timeToTheSecond(at: number | string): string {
  const style = { hour: '2-digit', minute: '2-digit', second: '2-digit', hourCycle: 'h23' } as const;
  return new Intl.DateTimeFormat(language.value, style).format(new Date(at));
}

export function number(value: number): string {
  return new Intl.NumberFormat(language.value).format(value);
}

/** A share of one: `2.4 %`. */
export function percent(share: number): string {
  const style = { style: 'percent', minimumFractionDigits: 1, maximumFractionDigits: 1 } as const;
  return new Intl.NumberFormat(language.value, style).format(share);
}
