import type { PlanShifts } from './fleet-plan.ts';

/** The fields in which shifts differ. No breaks are as an empty list of breaks, and no days off as an empty list. */
export function differingShifts(before: PlanShifts, after: PlanShifts): readonly string[] {
  const [one, other] = [fieldsOf(before), fieldsOf(after)];
  return Object.entries(other).flatMap(([field, text]) => (one[field] === text ? [] : [field]));
}

function fieldsOf({ timeZone, shifts, daysOff = [] }: PlanShifts): Readonly<Record<string, string>> {
  return {
    timeZone: timeZone ?? '',
    shifts: JSON.stringify(
      shifts.map(({ name, start, days = null, breaks = [] }) => [
        name,
        start,
        days,
        breaks.map((one) => [one.start, one.minutes]),
      ]),
    ),
    daysOff: JSON.stringify(daysOff.map(({ date, name }) => [date, name])),
  };
}
