import { words } from '../words/words.ts';
import { number } from './format.ts';
import { units } from './measure.ts';

/** Profiles are kept in inches (D-45). A metric plant reads and types millimetres. */
const MM_PER_INCH = 25.4;
/** A millionth of an inch is finer than any machine, and comes back as the millimetres that were typed (D-91). */
const KEPT_DECIMALS = 6;
const MM_DECIMALS = 3;

export function sizeUnit(): string {
  return units === 'metric' ? 'mm' : words.value.units.inch;
}

/** A kept size as it is shown in a field. */
export function shownSize(kept: number): number {
  return units === 'metric' ? Number((kept * MM_PER_INCH).toFixed(MM_DECIMALS)) : kept;
}

/** The size to keep of one that was typed. */
export function keptSize(typed: number): number {
  return units === 'metric' ? Number((typed / MM_PER_INCH).toFixed(KEPT_DECIMALS)) : typed;
}

/** `3.25`, or `82.6`. */
export function sizeText(kept: number): string {
  return number(shownSize(kept), units === 'metric' ? 1 : 4);
}

/** A size that follows from others is no rounder than they are: two decimals are enough. */
export function overallText(size: number): string {
  return number(shownSize(size), units === 'metric' ? 1 : 2);
}

/** A new bend's or straight's size: an inch, or 25 mm. */
export function usualSize(): number {
  return keptSize(units === 'metric' ? 25 : 1);
}
