/** The units in which the page shows what the interface has in feet, inches and pounds (D-45). */
export const UNITS = ['imperial', 'metric'] as const;
export type Units = (typeof UNITS)[number];

/** A value with its unit and the decimals that people read of it. */
export interface Measure {
  readonly value: number;
  readonly unit: string;
  readonly decimals: number;
}

/** The metric value of one of each unit. */
const METRIC: Readonly<Record<string, Measure>> = {
  ft: { value: 0.3048, unit: 'm', decimals: 1 },
  'ft/min': { value: 0.3048, unit: 'm/min', decimals: 1 },
  fpm: { value: 0.3048, unit: 'm/min', decimals: 1 },
  in: { value: 25.4, unit: 'mm', decimals: 1 },
  lb: { value: 0.45359237, unit: 'kg', decimals: 0 },
  lbs: { value: 0.45359237, unit: 'kg', decimals: 0 },
};

/** A measure as it is shown. A unit that is not known is shown as it came. */
export function shownMeasure(measure: Measure, units: Units): Measure {
  const metric = Object.hasOwn(METRIC, measure.unit) ? METRIC[measure.unit] : undefined;
  if (units === 'imperial' || metric === undefined) return measure;
  return { ...metric, value: measure.value * metric.value };
}
