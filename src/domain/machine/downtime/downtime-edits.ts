import { type Fault, foundText } from '../../error.ts';
import type { Result } from '../../result.ts';
import type { Downtime } from '../records.ts';

/** The result of a person's edit: downtimes to write and ids to remove, ready for the input `downtimesChanged`. */
export type DowntimeEdit = Result<{ readonly downtimes: readonly Downtime[]; readonly removedIds: readonly string[] }>;

export interface DowntimeCategory {
  /** Null removes the category. */
  readonly reasonId: string | null;
  readonly note: string | null;
  readonly userName: string | null;
}

/** Downtimes of one request. More are refused with 400. */
export const MAX_DOWNTIMES_AT_ONCE = 200;
/** A longer note is refused with 400. */
export const MAX_NOTE_LENGTH = 1000;

/** Gives every downtime the same category; one that has one gets the new one (D-07). `reasons` are the known ids. */
export function categorizeDowntimes(
  downtimes: readonly Downtime[],
  category: DowntimeCategory,
  reasons: ReadonlySet<string>,
): DowntimeEdit {
  const faults = checkCount(downtimes, 1);
  if (category.reasonId !== null && !reasons.has(category.reasonId)) {
    faults.push({ path: 'reasonId', found: foundText(category.reasonId), expected: 'the id of a downtime reason' });
  }
  if (category.note !== null && category.note.length > MAX_NOTE_LENGTH) {
    const expected = `at most ${MAX_NOTE_LENGTH} characters`;
    faults.push({ path: 'note', found: `${category.note.length} characters`, expected });
  }
  if (faults.length > 0) return { ok: false, faults };
  return { ok: true, downtimes: downtimes.map((downtime) => ({ ...downtime, ...category })), removedIds: [] };
}

/**
 * Cuts a downtime in two at `at`; both keep its category. The later part keeps the id, because it may still last and the
 * machine ends it by that id; the earlier part gets `newId`. `nowAt` bounds a downtime that lasts.
 */
export function splitDowntime(downtime: Downtime, at: number, newId: string, nowAt: number): DowntimeEdit {
  const endAt = downtime.endedAt ?? nowAt;
  if (!(Number.isSafeInteger(at) && at > downtime.startedAt && at < endAt)) {
    const expected = `a time between ${timeText(downtime.startedAt)} and ${timeText(endAt)}`;
    return { ok: false, faults: [{ path: 'at', found: timeText(at), expected }] };
  }
  const earlier = { ...downtime, downtimeId: newId, endedAt: at };
  return { ok: true, downtimes: [earlier, { ...downtime, startedAt: at }], removedIds: [] };
}

/**
 * Makes one downtime of several of one machine, from the first start to the last end, under the id of the last (which
 * may still last). Downtimes without a category take the one that the others share. Two different categories are a
 * fault, and so is one of the machine's `others` in between, because then two downtimes would cover the same time.
 */
export function mergeDowntimes(downtimes: readonly Downtime[], others: readonly Downtime[]): DowntimeEdit {
  const sorted = [...downtimes].sort((one, other) => one.startedAt - other.startedAt);
  const first = sorted[0];
  const last = sorted.at(-1);
  const faults = checkCount(downtimes, 2);
  if (first === undefined || last === undefined || faults.length > 0) return { ok: false, faults };
  const between = others.filter(({ startedAt }) => startedAt > first.startedAt && startedAt < last.startedAt);
  faults.push(...checkMergeable(sorted, between));
  if (faults.length > 0) return { ok: false, faults };
  const { reasonId, note, userName } = sorted.filter((downtime) => downtime.reasonId !== null).at(-1) ?? last;
  const ends = sorted.map((downtime) => downtime.endedAt ?? Infinity);
  const endedAt = Math.max(...ends);
  const merged = {
    ...last,
    startedAt: first.startedAt,
    endedAt: endedAt === Infinity ? null : endedAt,
    reasonId,
    note,
    userName,
  };
  const removedIds = sorted.slice(0, -1).map((downtime) => downtime.downtimeId);
  return { ok: true, downtimes: [merged], removedIds };
}

function checkCount(downtimes: readonly Downtime[], least: number): Fault[] {
  const { length } = downtimes;
  if (length >= least && length <= MAX_DOWNTIMES_AT_ONCE) return [];
  const expected = `${least} to ${MAX_DOWNTIMES_AT_ONCE} downtimes`;
  return [{ path: 'downtimes', found: `${length} downtimes`, expected }];
}

function checkMergeable(downtimes: readonly Downtime[], between: readonly Downtime[]): readonly Fault[] {
  const faults: Fault[] = [];
  const refuse = (found: readonly (string | null)[], expected: string) => {
    faults.push({ path: 'downtimes', found: found.join(', '), expected });
  };
  const ids = downtimes.map((downtime) => downtime.downtimeId);
  const machines = [...new Set(downtimes.map((downtime) => downtime.machineId))];
  const reasons = [...new Set(downtimes.map((downtime) => downtime.reasonId))].filter((reason) => reason !== null);
  if (new Set(ids).size < ids.length) refuse(ids, 'each downtime once');
  if (machines.length > 1) refuse(machines, 'downtimes of one machine');
  if (reasons.length > 1) refuse(reasons, 'downtimes of one category, or without any');
  const leftOut = between.map((downtime) => downtime.downtimeId).filter((id) => !ids.includes(id));
  if (leftOut.length > 0) refuse(ids, `neighbours: between them there is ${leftOut.join(', ')} as well`);
  return faults;
}

function timeText(at: number): string {
  const date = new Date(at);
  return Number.isNaN(date.getTime()) ? String(at) : date.toISOString();
}
