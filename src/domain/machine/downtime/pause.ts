import {
  currentShift,
  openSession,
  type Pause,
  READING_FIELDS,
  type ReadingField,
  readingOf,
} from '../machine-state.ts';
import type { KnownStatus } from '../status/status.ts';
import type { Transition } from '../transition.ts';

/** The pause of a machine that was heard at `since`, or never (null). Counters that it never sent are not awaited. */
export function pauseOf(known: KnownStatus, since: number | null): Pause {
  const unread = since === null ? READING_FIELDS : READING_FIELDS.filter((field) => known[field] !== null);
  return { since, unread, isHalfRead: false };
}

/**
 * Notes that a field was heard, or all fields if `field` is undefined. The pause is over once all known fields are
 * heard and no fall of a counter waits for the next mSecSinceBoot (`settleFalls`).
 */
export function settlePause(transition: Transition, field?: ReadingField): void {
  const { state, effects, now } = transition;
  if (state.pause === null) return;
  const { since, unread } = state.pause;
  const left = field === undefined ? [] : unread.filter((other) => other !== field);
  if (left.length > 0 || state.falls.length > 0) {
    state.pause = { since, unread: left, isHalfRead: true };
    return;
  }
  state.pause = null;
  const reading = readingOf(state);
  if (reading === null || state.recount !== null) return;
  const { reading: _, ...shift } = currentShift(state);
  effects.push({
    type: 'caughtUp',
    catchUp: { since, at: Math.round(now.wallMs), reading, shift, session: openSession(state) },
  });
}
