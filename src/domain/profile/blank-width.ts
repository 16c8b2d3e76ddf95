import { Decimal } from 'decimal.js';
import { type Feature, stripLength } from './profile.ts';

/** More digits than an exact sum of 999 lengths of at most 17 digits can need. */
const Exact = Decimal.clone({ precision: 400 });

/**
 * The width of the flat strip (PROF-03): lengths and radii added as the decimals they are written as, so that ten times
 * 0.1 is 1. Angles and hems add nothing.
 */
export function blankWidth(features: readonly Feature[]): number {
  return features.reduce((sum, feature) => sum.plus(stripLength(feature)), new Exact(0)).toNumber();
}
