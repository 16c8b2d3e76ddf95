import { movesProduction } from '../../domain/machine/counters/recount.ts';
import type { Shift, ShiftCalendar } from '../../domain/shift/shift-calendar.ts';
import { shiftDates } from '../../domain/shift/shift-dates.ts';
import { DAY_MS } from '../../domain/time.ts';
import type { Clock, Incidents } from '../ports.ts';
import type { Store } from '../store-ports.ts';
import type { MachineRegistry } from './machine-registry.ts';

interface CorrectClockOptions {
  readonly registry: MachineRegistry;
  readonly store: Pick<Store, 'clockCorrected'>;
  readonly calendar: Pick<ShiftCalendar, 'shiftAt' | 'shiftsOfDate'>;
  readonly incidents: Incidents;
  readonly clock: Clock;
  readonly alerts: { readonly noteJump: (deltaMs: number) => void };
}

/**
 * The wall clock was set by `deltaMs`; `bootedAt` is the boot of the computer by the clock before. Corrects what was
 * noted since then, in memory and on disk (D-04). Timeouts are not affected.
 */
export function correctClock(
  { deltaMs, bootedAt }: { readonly deltaMs: number; readonly bootedAt: number },
  { registry, store, calendar, incidents, clock, alerts }: CorrectClockOptions,
): void {
  const detail = `the wall clock was set by ${Math.round(deltaMs)} ms`;
  incidents.report({ kind: 'clockJump', subject: 'gateway', detail });
  alerts.noteJump(deltaMs);
  const now = clock.now();
  const shifts = movesProduction(deltaMs)
    ? shiftsBetween(Math.max(bootedAt + deltaMs, now.wallMs - MAX_MOVED_DAYS * DAY_MS), now.wallMs, calendar)
    : [];
  registry.correctClock({ type: 'clockCorrected', deltaMs, sinceAt: bootedAt }, now, (states) =>
    store.clockCorrected({ deltaMs, sinceAt: bootedAt, untilAt: Math.ceil(now.wallMs - deltaMs), shifts }, states),
  );
}

/** Production of earlier days stays in its shifts when the clock is corrected. To find more shifts would hold up machines. */
const MAX_MOVED_DAYS = 62;

/** Goes by the date, because to find a shift by an instant takes several times as long. */
function shiftsBetween(from: number, to: number, calendar: CorrectClockOptions['calendar']): readonly Shift[] {
  const [first, last] = [calendar.shiftAt(from), calendar.shiftAt(to)];
  const dates = shiftDates(first.shiftDate, last.shiftDate, MAX_MOVED_DAYS + 2);
  const shifts = dates.flatMap((date) => calendar.shiftsOfDate(date));
  return shifts.filter(({ startMs, endMs }) => endMs > from && startMs <= to);
}
