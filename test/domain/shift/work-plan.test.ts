import { expect, it } from 'vitest';
import { createShiftCalendar } from '../../../src/domain/shift/shift-calendar.ts';
import { checkWorkPlan, createWorkPlan, type WorkPlanSettings } from '../../../src/domain/shift/work-plan.ts';

const PLANT: WorkPlanSettings = {
  timeZone: 'Europe/Berlin',
  shifts: [
    {
      name: 'Early',
      start: '06:00',
      days: ['Mon', 'Tue', 'Wed', 'Thu', 'Fri'],
      breaks: [{ start: '09:00', minutes: 15 }],
    },
    { name: 'Late', start: '14:00', breaks: [{ start: '18:00', minutes: 30 }] },
    { name: 'Night', start: '22:00', breaks: [{ start: '02:00', minutes: 30 }] },
  ],
  daysOff: [{ date: '2026-12-25', name: 'Christmas' }],
};

function planned(settings: WorkPlanSettings, date: string) {
  const made = createShiftCalendar(settings);
  if (!made.ok) throw new Error('no calendar');
  const { calendar } = made;
  return calendar.shiftsOfDate(date).map((shift) => {
    const { isPlanned, breaks } = createWorkPlan(settings)(shift);
    return [
      shift.shiftName,
      isPlanned,
      breaks.map(({ from, to }) => `${calendar.timeText(from).slice(5, 16)}-${calendar.timeText(to).slice(11, 16)}`),
    ];
  });
}

it.each([
  {
    case: 'a weekday has all shifts; a break after midnight is on the next date',
    date: '2026-11-24',
    expected: [
      ['Early', true, ['11-24T09:00-09:15']],
      ['Late', true, ['11-24T18:00-18:30']],
      ['Night', true, ['11-25T02:00-02:30']],
    ],
  },
  {
    case: 'a shift that is not worked on Saturdays has no breaks either',
    date: '2026-11-28',
    expected: [
      ['Early', false, []],
      ['Late', true, ['11-28T18:00-18:30']],
      ['Night', true, ['11-29T02:00-02:30']],
    ],
  },
  {
    case: 'nothing is planned on a day off',
    date: '2026-12-25',
    expected: [
      ['Early', false, []],
      ['Late', false, []],
      ['Night', false, []],
    ],
  },
  {
    case: 'a break in the hour that the clock change leaves out comes as much later',
    date: '2026-03-28',
    expected: [
      ['Early', false, []],
      ['Late', true, ['03-28T18:00-18:30']],
      ['Night', true, ['03-29T03:00-03:30']],
    ],
  },
])('D-77: $case', ({ date, expected }) => {
  expect(planned(PLANT, date)).toEqual(expected);
});

it.each([
  {
    case: 'a break outside its shift',
    settings: { shifts: [{ name: 'Day', start: '06:00', breaks: [{ start: '05:50', minutes: 20 }] }] },
    paths: ['shifts[0].breaks[0]'],
  },
  {
    case: 'a break that reaches over the end of its shift',
    settings: {
      shifts: [
        { name: 'Day', start: '06:00', breaks: [{ start: '17:50', minutes: 20 }] },
        { name: 'Night', start: '18:00' },
      ],
    },
    paths: ['shifts[0].breaks[0]'],
  },
  {
    case: 'breaks that overlap',
    settings: {
      shifts: [
        {
          name: 'Day',
          start: '06:00',
          breaks: [
            { start: '09:00', minutes: 30 },
            { start: '09:20', minutes: 10 },
          ],
        },
      ],
    },
    paths: ['shifts[0].breaks[1]'],
  },
  {
    case: 'a date that does not exist, and one that is there twice',
    settings: {
      shifts: [{ name: 'Day', start: '06:00' }],
      daysOff: [
        { date: '2026-02-30', name: 'a' },
        { date: '2026-05-01', name: 'b' },
        { date: '2026-05-01', name: 'c' },
      ],
    },
    paths: ['daysOff[0].date', 'daysOff[2].date'],
  },
])('D-77: the configuration is refused with $case', ({ settings, paths }) => {
  expect(checkWorkPlan({ timeZone: 'UTC', ...settings }).map(({ path }) => path)).toEqual(paths);
});
