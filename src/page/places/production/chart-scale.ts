const STEPS = [1, 1.2, 1.6, 2, 2.4, 3, 4, 6, 8, 10] as const;

/** The end of an axis from 0 that holds a value, so that its four parts are round numbers. */
export function niceTop(value: number): number {
  if (!(value > 0)) return 4;
  const power = 10 ** Math.floor(Math.log10(value));
  return power * (STEPS.find((step) => step * power >= value) ?? 10);
}
