import { describe, expect, it } from 'vitest';
import { outlookOf, plannedHours } from '../../../src/domain/production/outlook.ts';
import type { PlannedShift } from '../../../src/domain/shift/work-plan.ts';

const HOUR = 3_600_000;

/** From 06:00 to 14:30, with a break from 10:00 to 10:30: eight hours of planned work. Times are hours of the day. */
const EARLY: PlannedShift = {
  shiftDate: '2026-11-24',
  shiftName: 'Early',
  startMs: 6 * HOUR,
  endMs: 14.5 * HOUR,
  isPlanned: true,
  breaks: [{ from: 10 * HOUR, to: 10.5 * HOUR }],
};
const OFF: PlannedShift = {
  ...EARLY,
  shiftName: 'Late',
  startMs: 14.5 * HOUR,
  endMs: 22 * HOUR,
  isPlanned: false,
  breaks: [],
};

describe('F3: the target by the hour', () => {
  it('is spread over the planned time without breaks', () => {
    const hours = plannedHours([EARLY, OFF], 800);
    expect(hours.slice(0, 9).map(({ targetParts }) => targetParts)).toEqual([
      100, 100, 100, 100, 50, 100, 100, 100, 50,
    ]);
    expect(hours.slice(9).every(({ targetParts }) => targetParts === 0)).toBe(true);
    expect(plannedHours([EARLY], null).every(({ targetParts }) => targetParts === null)).toBe(true);
  });

  /** `made` are the good parts of each hour from 06:00 on. */
  const outlookAt = (hourOfDay: number, made: readonly number[], shifts = [EARLY], target: number | null = 800) => {
    const hours = plannedHours(shifts, target).map((hour, place) => ({ ...hour, goodParts: made[place] ?? 0 }));
    return outlookOf(hours, hourOfDay * HOUR);
  };

  it.each([
    [
      'half an hour after the start: too early, the pace is the target',
      6.5,
      [20],
      { isEarly: true, forecastParts: 770 },
    ],
    ['at the pace of the last two hours', 9, [50, 80, 80], { forecastParts: 610, targetByNow: 300, partsPerHour: 80 }],
    ['a break takes no time', 10.5, [100, 100, 90, 90, 0], { forecastParts: 740, partsPerHour: 90 }],
    ['it needs a higher pace', 12.5, [100, 100, 100, 100, 0, 0, 0], { forecastParts: 400, neededPerHour: 200 }],
    ['the target is reached', 12.5, [200, 200, 200, 200, 0, 50, 50], { neededPerHour: 0, goodParts: 900 }],
    ['at the end nothing is needed any more', 14.5, [100, 100], { neededPerHour: null, forecastParts: 200 }],
  ])('%s', (_, hourOfDay, made, expected) => {
    const outlook = outlookAt(hourOfDay, made);
    const rounded = Object.fromEntries(
      Object.entries(outlook ?? {}).map(([name, value]) => [
        name,
        typeof value === 'number' ? Math.round(value) : value,
      ]),
    );
    expect(rounded).toMatchObject({ ...expected, targetParts: 800, endsAt: 14.5 * HOUR });
  });

  it('a machine without a target has no forecast, and a day off has none either', () => {
    expect(outlookAt(9, [50], [EARLY], null)).toBeNull();
    expect(outlookAt(16, [50], [OFF])).toBeNull();
  });
});
