import { type Measure, shownMeasure, type Units } from '../../domain/units.ts';
import { number } from './format.ts';

/** The tenant's units, which the gateway names in the document: they do not change while it runs. */
export const units: Units = document.documentElement.dataset.units === 'metric' ? 'metric' : 'imperial';

/** A value in the tenant's units: `5,960` and `ft`, or `1,816.6` and `m`. `decimals` counts where it is shown as it came. */
export function measured(
  value: number | null,
  unit: string,
  decimals = 3,
): { readonly text: string; readonly unit: string } {
  const came: Measure = { value: value ?? 0, unit, decimals };
  const shown = shownMeasure(came, units);
  return { text: value === null ? '–' : number(shown.value, shown.decimals), unit: shown.unit };
}

/** A measure with its unit as one text, `5,960 ft`; empty where there is no value. */
export function measure(value: number | null, unit: string, decimals?: number): string {
  const { text, unit: shown } = measured(value, unit, decimals);
  return value === null ? '' : `${text} ${shown}`;
}
