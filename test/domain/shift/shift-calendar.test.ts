import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createShiftCalendar, type Shift } from '../../../src/domain/shift/shift-calendar.ts';
import { calendarOf, HOUR_MS } from '../machine/machine-under-test.ts';

const ZONES = [
  'America/Chicago',
  'Europe/Berlin',
  'Australia/Lord_Howe',
  'America/Sao_Paulo',
  'Asia/Kolkata',
  'Pacific/Apia',
  'UTC',
];

const PLANS = [
  ['06:00', '18:00'],
  ['06:00', '14:00', '22:00'],
  ['00:00'],
  ['22:00', '06:00', '14:00'],
  ['00:10', '00:50', '01:10', '02:15', '02:45', '03:05', '00:05'],
];

const YEAR_2000 = Date.UTC(2000, 0, 1);
const YEAR_2030 = Date.UTC(2030, 0, 1);

/** Instants within two days of a clock change, or anywhere in thirty years. */
const instants = fc.oneof(
  fc.integer({ min: YEAR_2000, max: YEAR_2030 }),
  fc
    .tuple(
      fc.constantFrom('2026-03-08', '2026-11-01', '2026-03-29', '2026-10-25', '2026-04-05', '2018-11-04', '2011-12-30'),
      fc.integer({ min: -48 * HOUR_MS, max: 48 * HOUR_MS }),
    )
    .map(([date, offsetMs]) => Date.parse(`${date}T06:00:00Z`) + offsetMs),
);

function holds(shift: Shift, at: number): boolean {
  return at >= shift.startMs && at < shift.endMs;
}

function dateBefore(date: string, days: number): string {
  return new Date(Date.parse(`${date}T00:00:00Z`) - days * 24 * HOUR_MS).toISOString().slice(0, 10);
}

describe('the shift calendar', () => {
  it.each([
    ['2026-06-01T11:00:00Z', '2026-06-01', 'S0'],
    ['2026-06-01T22:59:59Z', '2026-06-01', 'S0'],
    ['2026-06-01T23:00:00Z', '2026-06-01', 'S1'],
    ['2026-06-02T04:59:00Z', '2026-06-01', 'S1'],
    ['2026-06-02T10:59:59Z', '2026-06-01', 'S1'],
    ['2026-06-02T11:00:00Z', '2026-06-02', 'S0'],
  ])('VAR-03 puts %s in Chicago into %s %s', (instant, shiftDate, shiftName) => {
    const calendar = calendarOf('America/Chicago', ['06:00', '18:00']);
    expect(calendar.shiftAt(Date.parse(instant))).toMatchObject({ shiftDate, shiftName });
  });

  it.each([
    ['2026-03-07', 11],
    ['2026-10-31', 13],
    ['2026-06-01', 12],
  ])('VAR-03 keeps the night shift of %s whole across the clock change: %i hours', (date, hours) => {
    const night = calendarOf('America/Chicago', ['06:00', '18:00']).shiftsOfDate(date)[1];
    expect(((night?.endMs ?? 0) - (night?.startMs ?? 0)) / HOUR_MS).toBe(hours);
    expect(night?.shiftDate).toBe(date);
  });

  it.each(ZONES.flatMap((zone) => PLANS.map((plan) => [zone, plan] as const)))(
    'VAR-03 puts every instant in %s into exactly one shift of %j',
    (zone, plan) => {
      const calendar = calendarOf(zone, plan);
      const fresh = calendarOf(zone, plan);
      fc.assert(
        fc.property(instants, (at) => {
          const shift = calendar.shiftAt(at);
          expect(holds(shift, at)).toBe(true);
          const around = [2, 1, 0, -1, -2].flatMap((days) => fresh.shiftsOfDate(dateBefore(shift.shiftDate, days)));
          expect(around.filter((other) => holds(other, at))).toEqual([shift]);
          expect(calendar.shiftAt(shift.endMs).startMs).toBe(shift.endMs);
          expect(calendar.shiftAt(shift.startMs)).toEqual(shift);
        }),
        { numRuns: 60 },
      );
    },
  );

  it.each(['', 'today', '2026-13-01', '2026-02-30'])('VAR-03 refuses the shift date %j', (text) => {
    expect(() => calendarOf('UTC', ['06:00']).shiftsOfDate(text)).toThrow('shiftDate: found');
  });

  it.each([
    [{ timeZone: 'Mars/Olympus' }, 'timeZone'],
    [{ timeZone: '' }, 'timeZone'],
    [{ shifts: [] }, 'shifts'],
    [{ shifts: Array.from({ length: 25 }, (_, hour) => ({ name: `${hour}`, start: '06:00' })) }, 'shifts'],
    [{ shifts: [{ name: 'A', start: '6:00' }] }, 'shifts[0].start'],
    [{ shifts: [{ name: 'A', start: '24:00' }] }, 'shifts[0].start'],
    [{ shifts: [{ name: ' ', start: '06:00' }] }, 'shifts[0].name'],
    [
      {
        shifts: [
          { name: 'A', start: '06:00' },
          { name: 'A', start: '18:00' },
        ],
      },
      'shifts[1].name',
    ],
    [
      {
        shifts: [
          { name: 'A', start: '06:00' },
          { name: 'B', start: '06:00' },
        ],
      },
      'shifts[1].start',
    ],
    [
      {
        shifts: [
          { name: 'A', start: '06:00' },
          { name: 'B', start: '22:00' },
          { name: 'C', start: '14:00' },
        ],
      },
      'shifts[2].start',
    ],
  ])('VAR-03 refuses %j and names %s', (settings, path) => {
    const result = createShiftCalendar({ timeZone: 'UTC', shifts: [{ name: 'A', start: '06:00' }], ...settings });
    expect(result).toMatchObject({ ok: false, faults: [{ path }] });
  });
});
