import { expect, it } from 'vitest';
import { endedPeriods } from '../../../src/domain/production/report-periods.ts';
import type { PlannedShift } from '../../../src/domain/shift/work-plan.ts';

const HOUR = 3_600_000;
/** Saturday, 28 November 2026, 06:00. */
const START = Date.UTC(2026, 10, 28, 6);

/** Two shifts of twelve hours from Saturday to Monday. */
const SHIFTS: readonly PlannedShift[] = ['28', '29', '30'].flatMap((day, place) =>
  ['Day', 'Night'].map((shiftName, half) => {
    const startMs = START + (place * 24 + half * 12) * HOUR;
    return {
      shiftDate: `2026-11-${day}`,
      shiftName,
      startMs,
      endMs: startMs + 12 * HOUR,
      isPlanned: true,
      breaks: [],
    };
  }),
);

const told = (fromHour: number, toHour: number) =>
  endedPeriods(SHIFTS, { afterMs: START + fromHour * HOUR, upToMs: START + toHour * HOUR }).map(
    ({ period, from, to, shiftName }) => [period, from, to, shiftName].join(' ').trim(),
  );

it.each([
  ['nothing while a shift lasts', 1, 11.9, []],
  ['the shift at its end', 1, 12, ['shift 2026-11-28 2026-11-28 Day']],
  ['nothing twice', 12, 23, []],
  ['the day with its last shift', 12, 25, ['shift 2026-11-28 2026-11-28 Night', 'day 2026-11-28 2026-11-28']],
  [
    "the week with Sunday's last shift, after a gateway that was off",
    30,
    50,
    [
      'shift 2026-11-29 2026-11-29 Day',
      'shift 2026-11-29 2026-11-29 Night',
      'day 2026-11-29 2026-11-29',
      'week 2026-11-23 2026-11-29',
    ],
  ],
])('D-93 periods that ended: %s', (_, fromHour, toHour, expected) => {
  expect(told(fromHour, toHour)).toEqual(expected);
});
