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
