import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../../domain/time.ts';
import { timeToTheSecond } from '../../show/format.ts';

const SECOND_MS = 1_000;
/** `14:18`, `14:18:05`, `1418` or `141805`. */
const TIME = /^(\d{1,2})[:.]?(\d{2})(?:[:.]?(\d{2}))?$/;

/**
 * The moment at which the plant's clocks show the typed time, between two moments and next to a third; null: there is
 * none, or it is no time.
 */
export function timeWithin(text: string, firstMs: number, lastMs: number, nearMs: number): number | null {
  const [, hours, minutes, seconds = '0'] = TIME.exec(text.trim()) ?? [];
  if (hours === undefined || minutes === undefined) return null;
  if (Number(hours) > 23 || Number(minutes) > 59 || Number(seconds) > 59) return null;
  const wantedMs = Number(hours) * HOUR_MS + Number(minutes) * MINUTE_MS + Number(seconds) * SECOND_MS;
  const days = Math.ceil((lastMs - firstMs) / DAY_MS);
  const found = Array.from({ length: 2 * days + 1 }, (_, place) => shownAt(wantedMs, nearMs + (place - days) * DAY_MS))
    .filter((atMs) => atMs >= firstMs && atMs <= lastMs && dayTimeMs(atMs) === wantedMs)
    .sort((one, other) => Math.abs(one - nearMs) - Math.abs(other - nearMs));
  return found[0] ?? null;
}

/** The moment next to another at which the clocks show the time. A change of the clocks between the two moves it. */
function shownAt(wantedMs: number, nearMs: number): number {
  const atMs = nearMs + shortest(wantedMs - dayTimeMs(nearMs));
  return atMs + shortest(wantedMs - dayTimeMs(atMs));
}

/** The same difference on a clock, by at most half a day. */
function shortest(differenceMs: number): number {
  const forwardMs = ((differenceMs % DAY_MS) + DAY_MS) % DAY_MS;
  return forwardMs > DAY_MS / 2 ? forwardMs - DAY_MS : forwardMs;
}

/** The time that the plant's clocks show, from midnight. */
function dayTimeMs(atMs: number): number {
  const [hours = 0, minutes = 0, seconds = 0] = timeToTheSecond(atMs).split(':').map(Number);
  return hours * HOUR_MS + minutes * MINUTE_MS + seconds * SECOND_MS;
}
