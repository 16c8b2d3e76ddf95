import { movesProduction } from '../../domain/machine/counters/recount.ts';
import type { Shift, ShiftCalendar } from '../../domain/shift/shift-calendar.ts';
import { DAY_MS } from '../../domain/time.ts';
import type { Clock, Incidents } from '../ports.ts';
import type { Store } from '../store-ports.ts';
import type { MachineRegistry } from './machine-registry.ts';

interface CorrectClockOptions {
  readonly registry: MachineRegistry;
  readonly store: Pick<Store, 'clockCorrected'>;
  readonly calendar: Pick<ShiftCalendar, 'shiftAt'>;
  readonly incidents: Incidents;
  readonly clock: Clock;
}

/**
 * The wall clock was set by `deltaMs`; `bootedAt` is the boot of the computer by the clock before. Corrects what was
 * noted since then, in memory and on disk (D-04). Timeouts are not affected.
 */
export function correctClock(
  { deltaMs, bootedAt }: { readonly deltaMs: number; readonly bootedAt: number },
  { registry, store, calendar, incidents, clock }: CorrectClockOptions,
): void {
  const detail = `the wall clock was set by ${Math.round(deltaMs)} ms`;
  incidents.report({ kind: 'clockJump', subject: 'gateway', detail });
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

function shiftsBetween(from: number, to: number, { shiftAt }: Pick<ShiftCalendar, 'shiftAt'>): readonly Shift[] {
  const shifts: Shift[] = [];
  for (let at = from; at <= to; at = shifts.at(-1)?.endMs ?? to + 1) shifts.push(shiftAt(at));
  return shifts;
}
