import type { PointColumns } from '../../protocol.ts';
import type { VariableSeries } from './variable-series.ts';

/** Points of one series in the order of their arrival, column by column. */
export interface RecentSeries {
  readonly at: number[];
  readonly value: number[];
  readonly day: number[];
  readonly epoch: number[];
}

/** Points as in the journal: of one epoch and many series, in the order of their arrival. */
export interface PointGroup {
  readonly epoch: number;
  readonly series: Uint32Array;
  readonly at: Float64Array;
  readonly value: Float64Array;
  readonly day: Int32Array;
}

/** The committed points that are in no block yet, by series: a copy of `variable_recent` in memory. */
export class RecentPoints {
  readonly #bySeries = new Map<number, RecentSeries>();
  #count = 0;

  get count(): number {
    return this.#count;
  }

  /** Adds the points of all series, or of those that `isWanted` accepts. */
  add(group: PointGroup, isWanted: (series: number) => boolean = () => true): void {
    for (let index = 0; index < group.series.length; index += 1) {
      const id = group.series[index] ?? 0;
      if (!isWanted(id)) continue;
      const columns = this.#columns(id);
      columns.at.push(group.at[index] ?? 0);
      columns.value.push(group.value[index] ?? Number.NaN);
      columns.day.push(group.day[index] ?? 0);
      columns.epoch.push(group.epoch);
      this.#count += 1;
    }
  }

  of(series: number): RecentSeries | null {
    return this.#bySeries.get(series) ?? null;
  }

  /** The number of points in each series now, in the order of the series' numbers. */
  counts(): ReadonlyMap<number, number> {
    const ordered = [...this.#bySeries.entries()].sort(([left], [right]) => left - right);
    return new Map(ordered.map(([series, columns]) => [series, columns.at.length]));
  }

  /** Drops the oldest points of a series: they are in a block now. */
  drop(series: number, count: number): void {
    const columns = this.#bySeries.get(series);
    if (columns === undefined) return;
    for (const column of [columns.at, columns.value, columns.day, columns.epoch]) column.splice(0, count);
    this.#count -= count;
    if (columns.at.length === 0) this.#bySeries.delete(series);
  }

  #columns(series: number): RecentSeries {
    let columns = this.#bySeries.get(series);
    if (columns === undefined) {
      columns = { at: [], value: [], day: [], epoch: [] };
      this.#bySeries.set(series, columns);
    }
    return columns;
  }
}

/** Part of a batch's points, to be stored under one clock epoch. */
export interface PointSlice {
  readonly from: number;
  readonly to: number;
  readonly epoch: number;
}

/** Adds a slice. If it begins where the last one ends, they become one: a copy of many points costs as much as of one. */
export function extendSlices(slices: PointSlice[], slice: PointSlice): void {
  const last = slices.at(-1);
  if (last?.to === slice.from && last.epoch === slice.epoch) slices[slices.length - 1] = { ...last, to: slice.to };
  else slices.push(slice);
}

/** The slices' points under their stored series numbers, one group an epoch. */
export function pointGroups(
  points: PointColumns,
  slices: readonly PointSlice[],
  names: Pick<VariableSeries, 'idAt'>,
): PointGroup[] {
  const groups: PointGroup[] = [];
  for (const [epoch, ofEpoch] of Map.groupBy(slices, (slice) => slice.epoch)) {
    const count = ofEpoch.reduce((sum, { from, to }) => sum + to - from, 0);
    const group = {
      epoch,
      series: new Uint32Array(count),
      at: new Float64Array(count),
      value: new Float64Array(count),
      day: new Int32Array(count),
    };
    let next = 0;
    for (const { from, to } of ofEpoch) {
      group.at.set(points.at.subarray(from, to), next);
      group.value.set(points.value.subarray(from, to), next);
      group.day.set(points.day.subarray(from, to), next);
      for (let index = from; index < to; index += 1, next += 1) {
        group.series[next] = names.idAt(points.series[index] ?? -1);
      }
    }
    groups.push(group);
  }
  return groups;
}
