import type { DowntimeReason } from '../../domain/plant/plant.ts';
import { keyFigures } from '../../domain/production/key-figures.ts';
import { isPlannedReason } from '../../domain/production/planned-reasons.ts';
import {
  type FleetSplit,
  type FleetStopSplit,
  NO_STOPS,
  type StopRow,
  type SumsRow,
  type WorkRow,
  type WorkSplit,
} from '../../domain/production/production-report.ts';
import { mapped, type SlicedWork } from '../../domain/sliced-work.ts';
import type { DowntimeView } from '../local-api/local-api-ports.ts';
import type { ReportRows } from './production-ports.ts';

/** Rows of a report, and the total to which they add up. `shiftNames`: all shifts of the days that were asked for. */
export interface ReportView<Row> {
  readonly shiftNames: readonly string[];
  readonly total: Row;
  readonly rows: readonly Row[];
}

/** A stop with the shift in which it began. */
export type LongStopView = DowntimeView & { readonly shiftDate: string; readonly shift: string };

/** The names of rows, and the order of machines and shifts. */
export interface RowNames {
  readonly machineIds: readonly string[];
  readonly shiftNames: readonly string[];
  machine(machineId: string): string | null;
  gateway(gatewayId: string): string | null;
  part(partId: string): string | null;
  reason(reasonId: string): DowntimeReason | null;
}

/** Sums of production and times (production-sums.ts). Shares are shares of 1; null: nothing to divide by, or no rate. */
export type SumsView = ReturnType<typeof sumsRowView>;
/** Pieces by part, job or operator. */
export type WorkView = ReturnType<typeof workRowView>;
/** Stops by reason or otherwise. The fields `…Before` are null unless the days before are compared. */
export type StopView = ReturnType<typeof stopRowView>;

/** A central server has a row for each of ten thousand machines. */
export function* sumsView(
  { total, rows }: ReportRows<SumsRow>,
  by: FleetSplit,
  names: RowNames,
): SlicedWork<ReportView<SumsView>> {
  const view = (row: SumsRow) => sumsRowView(row, nameOf(row.key, by, names), names);
  return {
    shiftNames: names.shiftNames,
    total: sumsRowView(total, null, names),
    rows: yield* mapped([...rows].sort(orderOf(by, names)), view),
  };
}

export function workView({ total, rows }: ReportRows<WorkRow>, by: WorkSplit, names: RowNames): ReportView<WorkView> {
  const name = ({ key }: WorkRow) => (by === 'part' && key !== null ? names.part(key) : null);
  const byPieces = [...rows].sort((one, other) => piecesOf(other) - piecesOf(one) || compared(one.key, other.key));
  return {
    shiftNames: names.shiftNames,
    total: workRowView(total, null),
    rows: byPieces.map((row) => workRowView(row, name(row))),
  };
}

export function stopsView(
  { total, rows }: ReportRows<StopRow>,
  before: ReportRows<StopRow> | null,
  by: FleetStopSplit,
  names: RowNames,
): ReportView<StopView> {
  const earlier = before === null ? null : new Map(before.rows.map((row) => [row.key, row]));
  const known = new Set(rows.map(({ key }) => key));
  // A reason that cost nothing now may have cost much before.
  const gone = by === 'reason' ? (before?.rows ?? []).filter(({ key }) => !known.has(key)) : [];
  const all = [...rows, ...gone.map(({ key }) => ({ ...NO_STOPS, key }))];
  const order =
    by === 'reason'
      ? (one: StopRow, other: StopRow) =>
          other.ms + other.outsideMs - one.ms - one.outsideMs || compared(one.key, other.key)
      : orderOf(by, names);
  const view = (row: StopRow) => {
    const earlierRow = earlier === null ? null : (earlier.get(row.key) ?? NO_STOPS);
    return stopRowView(row, earlierRow, by, names);
  };
  return {
    shiftNames: names.shiftNames,
    total: stopRowView(total, before?.total ?? null, by, names),
    rows: [...all].sort(order).map(view),
  };
}

function sumsRowView(row: SumsRow, name: string | null, names: RowNames) {
  const figures = keyFigures(row);
  const topId = row.topStop?.reasonId ?? null;
  return {
    key: row.key,
    name,
    goodParts: row.goodParts,
    badParts: row.badParts,
    cycles: row.cycles,
    targetParts: row.targetParts === null ? null : Math.round(row.targetParts),
    targetedGoodParts: row.targetedGoodParts,
    plannedSeconds: seconds(row.plannedMs),
    busySeconds: seconds(figures.plannedBusyMs),
    runningSeconds: seconds(row.runningMs),
    plannedStopSeconds: seconds(row.plannedStopMs),
    unplannedStopSeconds: seconds(row.unplannedStopMs),
    shortStopSeconds: seconds(row.shortStopMs),
    faultSeconds: seconds(row.faultMs),
    offlineSeconds: seconds(row.offlineMs),
    outsideGoodParts: row.outsideGoodParts,
    outsideBadParts: row.outsideBadParts,
    outsideRunningSeconds: seconds(row.outsideRunningMs),
    outsideStopSeconds: seconds(row.outsideStopMs),
    availability: share(figures.availability),
    effectiveness: share(figures.effectiveness),
    qualityRatio: share(figures.qualityRatio),
    oeeIndex: share(figures.oeeIndex),
    ratedParts: row.ratedParts,
    idealSeconds: seconds(row.idealMs),
    ratedRunningSeconds: seconds(row.ratedRunningMs),
    unratedPartIds: row.unratedPartIds,
    breakdowns: row.breakdowns,
    breakdownSeconds: seconds(row.breakdownMs),
    mtbfSeconds: secondsOrNull(figures.mtbfMs),
    mttrSeconds: secondsOrNull(figures.mttrMs),
    topReasonId: topId,
    topReason: topId === null ? null : (names.reason(topId)?.reason ?? null),
    topReasonSeconds: seconds(row.topStop?.ms ?? 0),
  };
}

function workRowView(row: WorkRow, name: string | null) {
  return {
    key: row.key,
    name,
    goodParts: row.goodParts,
    badParts: row.badParts,
    cycles: row.cycles,
    runningSeconds: seconds(row.runningMs),
    ratedParts: row.ratedParts,
    idealSeconds: seconds(row.idealMs),
    effectiveness: row.ratedParts === 0 || row.ratedRunningMs === 0 ? null : share(row.idealMs / row.ratedRunningMs),
    partsPerHour: row.runningMs === 0 ? null : Math.round((piecesOf(row) / row.runningMs) * 36_000_000) / 10,
  };
}

function stopRowView(row: StopRow, before: StopRow | null, by: FleetStopSplit, names: RowNames) {
  const reason = by === 'reason' && row.key !== null ? names.reason(row.key) : null;
  return {
    key: row.key,
    name: reason?.reason ?? nameOf(row.key, by, names),
    group: reason?.group ?? null,
    planned: reason === null ? null : isPlannedReason(reason),
    count: row.count,
    seconds: seconds(row.ms),
    plannedSeconds: seconds(row.plannedMs),
    outsideSeconds: seconds(row.outsideMs),
    longestSeconds: seconds(row.longestMs),
    countBefore: before === null ? null : before.count,
    secondsBefore: before === null ? null : seconds(before.ms),
    outsideSecondsBefore: before === null ? null : seconds(before.outsideMs),
  };
}

function nameOf(key: string | null, by: FleetStopSplit, names: RowNames): string | null {
  if (key === null) return null;
  if (by === 'machine') return names.machine(key);
  return by === 'gateway' ? names.gateway(key) : null;
}

function piecesOf({ goodParts, badParts }: Pick<WorkRow, 'goodParts' | 'badParts'>): number {
  return goodParts + badParts;
}

/** Machines and shifts in the order of the plant, days and weeks in the order of time, areas by name; no key comes last. */
function orderOf(by: FleetStopSplit, { machineIds, shiftNames }: RowNames) {
  const places = new Map((by === 'machine' ? machineIds : shiftNames).map((key, place) => [key, place]));
  const placeOf = (key: string | null) => (key === null ? undefined : places.get(by === 'turn' ? key.slice(11) : key));
  return (one: { readonly key: string | null }, other: { readonly key: string | null }) => {
    const [first, second] = [placeOf(one.key), placeOf(other.key)];
    const isSameDay = by !== 'turn' || one.key?.slice(0, 10) === other.key?.slice(0, 10);
    if (isSameDay && first !== undefined && second !== undefined) return first - second;
    return compared(one.key, other.key);
  };
}

function compared(one: string | null, other: string | null): number {
  if (one === null || other === null) return Number(one === null) - Number(other === null);
  return one < other ? -1 : Number(one > other);
}

function seconds(ms: number): number {
  return Math.round(ms) / 1_000;
}

function secondsOrNull(ms: number | null): number | null {
  return ms === null ? null : seconds(ms);
}

/** To a hundredth of a percent. */
function share(value: number | null): number | null {
  return value === null ? null : Math.round(value * 10_000) / 10_000;
}
