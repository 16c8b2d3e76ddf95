import fc from 'fast-check';
import { expect, it } from 'vitest';
import { shownMeasure } from '../../src/domain/units.ts';

const UNITS_OF_THE_INTERFACE = ['ft', 'ft/min', 'fpm', 'in', 'lb', 'lbs'];
/** No measure is as small as the numbers that lose their last digits when they are divided. */
const value = fc.double({ noNaN: true, min: -1e9, max: 1e9 }).map((of) => (Math.abs(of) < 1e-12 ? 0 : of));
const unit = fc.constantFrom(...UNITS_OF_THE_INTERFACE);
const metric = (of: number, from: string) => shownMeasure({ value: of, unit: from, decimals: 3 }, 'metric');

it('D-45 imperial shows every measure unchanged', () => {
  fc.assert(
    fc.property(value, fc.oneof(unit, fc.string()), (of, from) => {
      const came = { value: of, unit: from, decimals: 3 };
      expect(shownMeasure(came, 'imperial')).toEqual(came);
    }),
  );
});

it('D-45 metric keeps order, sum and sign of the converted values, and replaces the unit', () => {
  fc.assert(
    fc.property(value, value, unit, (one, other, from) => {
      const [first, second] = [metric(one, from), metric(other, from)];
      expect(first.unit).not.toBe(from);
      expect(Math.sign(first.value)).toBe(Math.sign(one));
      if (one < other) expect(first.value).toBeLessThanOrEqual(second.value);
      const tolerance = 1e-9 * (Math.abs(one) + Math.abs(other) + 1) * 30;
      expect(Math.abs(metric(one + other, from).value - first.value - second.value)).toBeLessThanOrEqual(tolerance);
    }),
  );
});

it('D-45 metric values converted back are the original values', () => {
  const factors: Readonly<Record<string, number>> = { ft: 3.280839895, 'ft/min': 3.280839895, fpm: 3.280839895 };
  fc.assert(
    fc.property(value, unit, (of, from) => {
      const back = metric(of, from).value * (factors[from] ?? (from === 'in' ? 1 / 25.4 : 2.2046226218));
      expect(Math.abs(back - of)).toBeLessThanOrEqual(1e-9 * Math.abs(of) + 1e-9);
    }),
  );
});

it('D-45 a measure with any unknown unit is shown unchanged', () => {
  fc.assert(
    fc.property(value, fc.oneof(fc.string(), fc.constantFrom('°F', 'toString', '__proto__')), (of, from) => {
      fc.pre(!UNITS_OF_THE_INTERFACE.includes(from));
      expect(metric(of, from)).toEqual({ value: of, unit: from, decimals: 3 });
    }),
  );
});
