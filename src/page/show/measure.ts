import { type Measure, shownMeasure, type Units } from '../../domain/units.ts';
import { number } from './format.ts';

/** The tenant's units, which the gateway names in the document: they do not change while it runs. */
export const units: Units = document.documentElement.dataset.units === 'metric' ? 'metric' : 'imperial';

const INCHES_PER_FOOT = 12;

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

/** The length of a piece: `18 ft 4 in`, or `5,588 mm`. */
export function pieceLength(lengthIn: number): string {
  const feet = Math.floor(lengthIn / INCHES_PER_FOOT);
  if (units === 'metric' || feet === 0) return measure(lengthIn, 'in');
  const inches = number(lengthIn - feet * INCHES_PER_FOOT);
  return inches === '0' ? measure(feet, 'ft') : `${measure(feet, 'ft')} ${inches} in`;
}

/** A measure with its unit as one text, `5,960 ft`; empty where there is no value. */
export function measure(value: number | null, unit: string, decimals?: number): string {
  const { text, unit: shown } = measured(value, unit, decimals);
  return value === null ? '' : `${text} ${shown}`;
}
