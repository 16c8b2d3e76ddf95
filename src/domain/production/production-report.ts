import { Temporal } from 'temporal-polyfill';
import {
  NO_SUMS,
  type PlantJudgement,
  type ProductionSums,
  plusSums,
  rateKey,
  type ShiftOutcome,
  sumsOf,
  workSumsOf,
} from './production-sums.ts';
import type { StopSum } from './shift-summary.ts';

/** The ways in which sums are split into rows. `turn`: one shift of one day. */
export const SPLITS = ['machine', 'area', 'shift', 'turn', 'day', 'week', 'month'] as const;
export type Split = (typeof SPLITS)[number];

/** The ways of a central server: its machines belong to gateways, and these to plants. */
export const FLEET_SPLITS = ['plant', 'gateway', ...SPLITS] as const;
export type FleetSplit = (typeof FLEET_SPLITS)[number];

/** Whether sums of our own machines can be split in this way, too. */
export function isOwnSplit(by: FleetStopSplit): by is StopSplit {
  return by !== 'plant' && by !== 'gateway';
}

export const WORK_SPLITS = ['part', 'job', 'operator'] as const;
export type WorkSplit = (typeof WORK_SPLITS)[number];

export const STOP_SPLITS = ['reason', ...SPLITS] as const;
export type StopSplit = (typeof STOP_SPLITS)[number];

export const FLEET_STOP_SPLITS = ['reason', ...FLEET_SPLITS] as const;
export type FleetStopSplit = (typeof FLEET_STOP_SPLITS)[number];

/** A row of sums. `key` is null for what has none: no area, no part, no reason yet. */
export interface SumsRow extends ProductionSums {
  readonly key: string | null;
  /** The reason that cost most unplanned time; null if there was none. */
  readonly topStop: { readonly reasonId: string | null; readonly ms: number } | null;
  /** Parts without an ideal rate, of which pieces were made: at most MAX_NAMED_PARTS, in order. */
  readonly unratedPartIds: readonly string[];
}

/** Work by part, job or operator. */
export interface WorkRow extends Pick<ProductionSums, 'goodParts' | 'badParts' | 'cycles' | 'runningMs'> {
  readonly key: string | null;
  readonly ratedParts: number;
  readonly idealMs: number;
  readonly ratedRunningMs: number;
}

/** Stops by reason or another split. `outsideMs` is the time in shifts that were not planned; `ms` does not contain it. */
export interface StopRow {
  readonly key: string | null;
  readonly count: number;
  readonly ms: number;
  readonly plannedMs: number;
  readonly outsideMs: number;
  readonly longestMs: number;
}

/** The parts without a rate that a row names. */
const MAX_NAMED_PARTS = 20;

/** Adds up outcomes of shifts, one by one. */
export interface Report<Row> {
  add(outcome: ShiftOutcome): void;
  /** All rows together; its key is null. */
  total(): Row;
  rows(): readonly Row[];
}

export function sumsReport(by: Split, judgement: PlantJudgement, nowAt: number): Report<SumsRow> {
  const rows = new Map<string | null, RowUnderWay>();
  const total = newRow();
  return {
    add(outcome) {
      const key = keyOf(outcome, by);
      const row = rows.get(key) ?? newRow();
      rows.set(key, row);
      const sums = sumsOf(outcome, judgement, nowAt);
      for (const each of [row, total]) {
        each.sums = plusSums(each.sums, sums);
        noteUnplannedStops(each.stops, outcome, judgement);
        noteUnratedParts(each.parts, outcome, judgement);
      }
    },
    total: () => finished(null, total),
    rows: () => [...rows].map(([key, row]) => finished(key, row)),
  };
}

interface RowUnderWay {
  sums: ProductionSums;
  readonly stops: Map<string | null, number>;
  readonly parts: Set<string>;
}

function newRow(): RowUnderWay {
  return { sums: NO_SUMS, stops: new Map(), parts: new Set() };
}

function finished(key: string | null, { sums, stops, parts }: RowUnderWay): SumsRow {
  return { key, ...sums, topStop: largest(stops), unratedPartIds: [...parts].sort().slice(0, MAX_NAMED_PARTS) };
}

export function workReport(by: WorkSplit, judgement: PlantJudgement): Report<WorkRow> {
  const rows = new Map<string | null, WorkRow>();
  return {
    add({ machine, summary }) {
      for (const work of summary.work) {
        const key = { part: work.partId, job: work.jobNumber, operator: work.userId }[by];
        const before = rows.get(key) ?? { ...NO_WORK, key };
        rows.set(key, plusWork(before, { ...work, ...workSumsOf(work, machine, judgement), key }));
      }
    },
    total: () => [...rows.values()].reduce(plusWork, NO_WORK),
    rows: () => [...rows.values()],
  };
}

export function stopsReport(by: StopSplit, judgement: PlantJudgement): Report<StopRow> {
  const rows = new Map<string | null, StopRow>();
  return {
    add(outcome) {
      for (const stop of outcome.summary.stops) {
        const key = by === 'reason' ? stop.reasonId : keyOf(outcome, by);
        const row = stopRow(key, stop, outcome.shift.isPlanned, judgement);
        rows.set(key, plusStops(rows.get(key) ?? { ...NO_STOPS, key }, row));
      }
    },
    total: () => [...rows.values()].reduce(plusStops, NO_STOPS),
    rows: () => [...rows.values()],
  };
}

export const NO_WORK: WorkRow = {
  key: null,
  goodParts: 0,
  badParts: 0,
  cycles: 0,
  runningMs: 0,
  ratedParts: 0,
  idealMs: 0,
  ratedRunningMs: 0,
};
export const NO_STOPS: StopRow = { key: null, count: 0, ms: 0, plannedMs: 0, outsideMs: 0, longestMs: 0 };

/** Adds two rows; the sum keeps the key of the first. */
export function plusWork(one: WorkRow, other: WorkRow): WorkRow {
  return {
    key: one.key,
    goodParts: one.goodParts + other.goodParts,
    badParts: one.badParts + other.badParts,
    cycles: one.cycles + other.cycles,
    runningMs: one.runningMs + other.runningMs,
    ratedParts: one.ratedParts + other.ratedParts,
    idealMs: one.idealMs + other.idealMs,
    ratedRunningMs: one.ratedRunningMs + other.ratedRunningMs,
  };
}

/** Adds two rows; the sum keeps the key of the first. */
export function plusStops(one: StopRow, other: StopRow): StopRow {
  return {
    key: one.key,
    count: one.count + other.count,
    ms: one.ms + other.ms,
    plannedMs: one.plannedMs + other.plannedMs,
    outsideMs: one.outsideMs + other.outsideMs,
    longestMs: Math.max(one.longestMs, other.longestMs),
  };
}

/** What a sum of stops means in a shift that is planned, or not. */
export function stopRow(
  key: string | null,
  { reasonId, count, ms, longestMs }: StopSum,
  isInPlan: boolean,
  { plannedReasons }: PlantJudgement,
): StopRow {
  const isPlanned = reasonId !== null && plannedReasons.has(reasonId);
  return {
    key,
    count,
    ms: isInPlan ? ms : 0,
    plannedMs: isInPlan && isPlanned ? ms : 0,
    outsideMs: isInPlan ? 0 : ms,
    longestMs,
  };
}

/** Machines and shifts that a row belongs to; areas may be missing. */
function keyOf({ machine, shift }: ShiftOutcome, by: Split): string | null {
  switch (by) {
    case 'machine':
      return machine.machineId;
    case 'area':
      return machine.area;
    case 'shift':
      return shift.shiftName;
    case 'turn':
      return `${shift.shiftDate} ${shift.shiftName}`;
    case 'day':
      return shift.shiftDate;
    case 'week':
      return mondayOf(shift.shiftDate);
    case 'month':
      return shift.shiftDate.slice(0, 7);
  }
}

const mondays = new Map<string, string>();

/** The Monday of the week of a date. Dates repeat for each machine, so the last ones are remembered. */
function mondayOf(date: string): string {
  const known = mondays.get(date);
  if (known !== undefined) return known;
  if (mondays.size > 1_000) mondays.clear();
  const day = Temporal.PlainDate.from(date);
  const monday = day.subtract({ days: day.dayOfWeek - 1 }).toString();
  mondays.set(date, monday);
  return monday;
}

function noteUnplannedStops(
  stops: Map<string | null, number>,
  { shift, summary }: ShiftOutcome,
  { plannedReasons }: PlantJudgement,
): void {
  if (!shift.isPlanned) return;
  for (const { reasonId, ms } of summary.stops) {
    if (reasonId !== null && plannedReasons.has(reasonId)) continue;
    stops.set(reasonId, (stops.get(reasonId) ?? 0) + ms);
  }
}

function noteUnratedParts(parts: Set<string>, { machine, summary }: ShiftOutcome, judgement: PlantJudgement): void {
  if (machine.idealPartsPerMinute !== null) return;
  for (const { partId, goodParts, badParts } of summary.work) {
    if (partId === null || goodParts + badParts === 0) continue;
    if (judgement.partRates.has(partId)) continue;
    if (!judgement.machinePartRates.has(rateKey(partId, machine.machineId))) parts.add(partId);
  }
}

function largest(stops: ReadonlyMap<string | null, number>): SumsRow['topStop'] {
  let top: SumsRow['topStop'] = null;
  for (const [reasonId, ms] of stops) if (ms > (top?.ms ?? 0)) top = { reasonId, ms };
  return top;
}
