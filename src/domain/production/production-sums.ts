import type { PlannedShift } from '../shift/work-plan.ts';
import { MINUTE_MS } from '../time.ts';
import { lengthMs, without } from '../time-spans.ts';
import type { Pieces, ShiftSummary, WorkSum } from './shift-summary.ts';

/** The result of a machine's shift, and its target. */
export interface ShiftOutcome {
  readonly machine: ProducingMachine;
  readonly shift: PlannedShift;
  readonly made: Pieces;
  readonly summary: ShiftSummary;
  /** Parts that the whole shift should make; null: it has no target. */
  readonly targetParts: number | null;
}

export interface ProducingMachine {
  readonly machineId: string;
  readonly area: string | null;
  /** The rate of parts without one of their own, a minute; null: none. */
  readonly idealPartsPerMinute: number | null;
  readonly targetPartsPerShift: number | null;
}

/** The plant's data by which times and pieces are judged. */
export interface PlantJudgement {
  /** Reasons whose stops are planned, and those that are breakdowns. */
  readonly plannedReasons: ReadonlySet<string>;
  readonly breakdownReasons: ReadonlySet<string>;
  /** Parts a minute by part id, and by `rateKey` of part and machine. */
  readonly partRates: ReadonlyMap<string, number>;
  readonly machinePartRates: ReadonlyMap<string, number>;
}

/** The key of the rate of a part at one machine. */
export function rateKey(partId: string, machineId: string): string {
  return `${machineId} ${partId}`;
}

/**
 * The sums of machines and shifts. Times of planned shifts add up: plannedMs = runningMs + plannedStopMs + unplannedStopMs
 * + shortStopMs + faultMs + offlineMs. All time and all pieces outside planned shifts are in the fields `outside…`;
 * `goodParts`, `badParts` and `cycles` have those as well.
 */
export interface ProductionSums extends Pieces {
  /** Planned operation time of ISO 22400-2: shift time up to now. */
  readonly plannedMs: number;
  /** Actual production time of ISO 22400-2. */
  readonly runningMs: number;
  /** Planned downtime of ISO 22400-2: stops with a planned reason, and breaks. */
  readonly plannedStopMs: number;
  readonly unplannedStopMs: number;
  readonly shortStopMs: number;
  readonly faultMs: number;
  readonly offlineMs: number;
  readonly outsideGoodParts: number;
  readonly outsideBadParts: number;
  readonly outsideRunningMs: number;
  readonly outsideStopMs: number;
  /** Pieces with an ideal rate, the time that they need at it, and the time in which they were made. */
  readonly ratedParts: number;
  readonly idealMs: number;
  readonly ratedRunningMs: number;
  /** Pieces of the machines that have a target, and their target up to now; null: no machine has one. */
  readonly targetedGoodParts: number;
  readonly targetParts: number | null;
  /** Breakdowns that began, and their whole lengths. */
  readonly breakdowns: number;
  readonly breakdownMs: number;
}

export const NO_SUMS: ProductionSums = {
  goodParts: 0,
  badParts: 0,
  cycles: 0,
  plannedMs: 0,
  runningMs: 0,
  plannedStopMs: 0,
  unplannedStopMs: 0,
  shortStopMs: 0,
  faultMs: 0,
  offlineMs: 0,
  outsideGoodParts: 0,
  outsideBadParts: 0,
  outsideRunningMs: 0,
  outsideStopMs: 0,
  ratedParts: 0,
  idealMs: 0,
  ratedRunningMs: 0,
  targetedGoodParts: 0,
  targetParts: null,
  breakdowns: 0,
  breakdownMs: 0,
};

/** Adds two sums. Times and pieces are added first and divided later: a mean of percentages would be wrong. */
export function plusSums(one: ProductionSums, other: ProductionSums): ProductionSums {
  return {
    goodParts: one.goodParts + other.goodParts,
    badParts: one.badParts + other.badParts,
    cycles: one.cycles + other.cycles,
    plannedMs: one.plannedMs + other.plannedMs,
    runningMs: one.runningMs + other.runningMs,
    plannedStopMs: one.plannedStopMs + other.plannedStopMs,
    unplannedStopMs: one.unplannedStopMs + other.unplannedStopMs,
    shortStopMs: one.shortStopMs + other.shortStopMs,
    faultMs: one.faultMs + other.faultMs,
    offlineMs: one.offlineMs + other.offlineMs,
    outsideGoodParts: one.outsideGoodParts + other.outsideGoodParts,
    outsideBadParts: one.outsideBadParts + other.outsideBadParts,
    outsideRunningMs: one.outsideRunningMs + other.outsideRunningMs,
    outsideStopMs: one.outsideStopMs + other.outsideStopMs,
    ratedParts: one.ratedParts + other.ratedParts,
    idealMs: one.idealMs + other.idealMs,
    ratedRunningMs: one.ratedRunningMs + other.ratedRunningMs,
    targetedGoodParts: one.targetedGoodParts + other.targetedGoodParts,
    targetParts:
      one.targetParts === null && other.targetParts === null ? null : (one.targetParts ?? 0) + (other.targetParts ?? 0),
    breakdowns: one.breakdowns + other.breakdowns,
    breakdownMs: one.breakdownMs + other.breakdownMs,
  };
}

/** The sums of one shift of one machine, up to `nowAt` if it lasts. */
export function sumsOf(outcome: ShiftOutcome, judgement: PlantJudgement, nowAt: number): ProductionSums {
  const { shift, made, summary } = outcome;
  const { times, stops } = summary;
  const stopMs = (isMeant: (reasonId: string | null) => boolean) =>
    stops.reduce((sum, { reasonId, ms }) => (isMeant(reasonId) ? sum + ms : sum), 0);
  const isPlanned = (reasonId: string | null) => reasonId !== null && judgement.plannedReasons.has(reasonId);
  if (!shift.isPlanned) {
    return {
      ...NO_SUMS,
      ...made,
      outsideGoodParts: made.goodParts,
      outsideBadParts: made.badParts,
      outsideRunningMs: times.runningMs,
      outsideStopMs: stopMs(() => true),
    };
  }
  return {
    ...NO_SUMS,
    ...made,
    plannedMs: Math.max(0, Math.min(shift.endMs, nowAt) - shift.startMs),
    runningMs: times.runningMs,
    plannedStopMs: times.breakMs + stopMs(isPlanned),
    unplannedStopMs: stopMs((reasonId) => !isPlanned(reasonId)),
    shortStopMs: times.shortMs,
    faultMs: times.faultMs,
    offlineMs: times.offlineMs,
    ...ratedSums(outcome, judgement),
    ...targetSums(outcome, nowAt),
    ...breakdownSums(summary, judgement),
  };
}

/** The ideal rate of a part at a machine, a minute: the most exact one counts. Null: none. */
export function idealRate(
  partId: string | null,
  { machineId, idealPartsPerMinute }: Pick<ProducingMachine, 'machineId' | 'idealPartsPerMinute'>,
  { partRates, machinePartRates }: Pick<PlantJudgement, 'partRates' | 'machinePartRates'>,
): number | null {
  if (partId === null) return idealPartsPerMinute;
  return machinePartRates.get(rateKey(partId, machineId)) ?? partRates.get(partId) ?? idealPartsPerMinute;
}

/** The pieces of a work that have an ideal rate, and their times. */
export function workSumsOf(work: WorkSum, machine: ProducingMachine, judgement: PlantJudgement) {
  const rate = idealRate(work.partId, machine, judgement);
  if (rate === null) return { ratedParts: 0, idealMs: 0, ratedRunningMs: 0 };
  const pieces = work.goodParts + work.badParts;
  return { ratedParts: pieces, idealMs: (pieces / rate) * MINUTE_MS, ratedRunningMs: work.runningMs };
}

function ratedSums({ machine, summary }: ShiftOutcome, judgement: PlantJudgement) {
  const sums = { ratedParts: 0, idealMs: 0, ratedRunningMs: 0 };
  for (const work of summary.work) {
    const { ratedParts, idealMs, ratedRunningMs } = workSumsOf(work, machine, judgement);
    sums.ratedParts += ratedParts;
    sums.idealMs += idealMs;
    sums.ratedRunningMs += ratedRunningMs;
  }
  return sums;
}

/** The target is spread over the shift without its breaks. */
function targetSums({ shift, made, targetParts }: ShiftOutcome, nowAt: number) {
  if (targetParts === null) return {};
  const workMs = (until: number) =>
    lengthMs(without([{ from: shift.startMs, to: Math.max(shift.startMs, until) }], shift.breaks));
  const share = workMs(Math.min(shift.endMs, nowAt)) / workMs(shift.endMs);
  return { targetParts: targetParts * share, targetedGoodParts: made.goodParts };
}

function breakdownSums({ stops, times }: ShiftSummary, { breakdownReasons }: PlantJudgement) {
  const ofReasons = stops.filter(({ reasonId }) => reasonId !== null && breakdownReasons.has(reasonId));
  return {
    breakdowns: times.longFaults + ofReasons.reduce((sum, { count }) => sum + count, 0),
    breakdownMs: times.longFaultMs + ofReasons.reduce((sum, { ownMs }) => sum + ownMs, 0),
  };
}
