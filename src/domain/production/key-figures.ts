import type { ProductionSums } from './production-sums.ts';

/** Key figures by their names in ISO 22400-2, as shares of 1. Null: nothing to divide by. */
export interface KeyFigures {
  /** Planned busy time: the planned time without planned stops and without the time in which nothing was heard. */
  readonly plannedBusyMs: number;
  /** Actual production time by planned busy time. */
  readonly availability: number | null;
  /** The time that the pieces need at their ideal rate, by the time in which they were made. Of pieces with a rate alone. */
  readonly effectiveness: number | null;
  /** Good pieces by all pieces. */
  readonly qualityRatio: number | null;
  /** Availability × effectiveness × quality ratio; null as long as one of them is not known. */
  readonly oeeIndex: number | null;
  /** Availability × quality ratio, for pieces without a rate. */
  readonly availabilityAndQuality: number | null;
  /** The share of the pieces that have an ideal rate. */
  readonly ratedShare: number | null;
  /** Mean operating time between failures, in milliseconds. */
  readonly mtbfMs: number | null;
  /** Mean time to restoration, in milliseconds. */
  readonly mttrMs: number | null;
}

export function keyFigures(sums: ProductionSums): KeyFigures {
  const plannedBusyMs = sums.plannedMs - sums.plannedStopMs - sums.offlineMs;
  const pieces = sums.goodParts + sums.badParts;
  const availability = ratio(sums.runningMs, plannedBusyMs);
  const effectiveness = sums.ratedParts === 0 ? null : ratio(sums.idealMs, sums.ratedRunningMs);
  const qualityRatio = ratio(sums.goodParts, pieces);
  const availabilityAndQuality = availability === null || qualityRatio === null ? null : availability * qualityRatio;
  return {
    plannedBusyMs,
    availability,
    effectiveness,
    qualityRatio,
    oeeIndex: availabilityAndQuality === null || effectiveness === null ? null : availabilityAndQuality * effectiveness,
    availabilityAndQuality,
    ratedShare: ratio(sums.ratedParts, pieces),
    mtbfMs: ratio(sums.runningMs, sums.breakdowns),
    mttrMs: ratio(sums.breakdownMs, sums.breakdowns),
  };
}

function ratio(part: number, whole: number): number | null {
  return whole > 0 ? part / whole : null;
}
