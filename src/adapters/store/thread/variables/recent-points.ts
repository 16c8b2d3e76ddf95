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

/** One slice of sorting: the longest that it holds up a commit, save for one group. */
const SLICE_MS = 2;

/** The committed points that are in no block yet, by series: a copy of `variable_recent` in memory. */
export class RecentPoints {
  readonly #bySeries = new Map<number, RecentSeries>();
  /** Groups that are not sorted by series yet, in the order they came. */
  readonly #unsorted: PointGroup[] = [];
  #count = 0;

  get count(): number {
    return this.#count;
  }

  get isSorting(): boolean {
    return this.#unsorted.length > 0;
  }

  add(group: PointGroup): void {
    if (this.isSorting) this.addUnsorted(group);
    else this.addWanted(group, () => true);
  }

  /** Leaves the sorting by series to `slice`, or to the first question: a start does not wait for it. */
  addUnsorted(group: PointGroup): void {
    this.#unsorted.push(group);
    this.#count += group.series.length;
  }

  /** Sorts for a moment. */
  slice(): void {
    this.#sort(performance.now() + SLICE_MS);
  }

  /** Adds the points of some series alone. */
  addWanted(group: PointGroup, isWanted: (series: number) => boolean): void {
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
    this.#sort();
    return this.#bySeries.get(series) ?? null;
  }

  /** The number of points in each series now, in the order of the series' numbers. */
  counts(): ReadonlyMap<number, number> {
    this.#sort();
    const ordered = [...this.#bySeries.entries()].sort(([left], [right]) => left - right);
    return new Map(ordered.map(([series, columns]) => [series, columns.at.length]));
  }

  /** Drops the oldest points of a series: they are in a block now. */
  drop(series: number, count: number): void {
    this.#sort();
    const columns = this.#bySeries.get(series);
    if (columns === undefined) return;
    for (const column of [columns.at, columns.value, columns.day, columns.epoch]) column.splice(0, count);
    this.#count -= count;
    if (columns.at.length === 0) this.#bySeries.delete(series);
  }

  #sort(untilMs = Number.POSITIVE_INFINITY): void {
    let sorted = 0;
    for (const group of this.#unsorted) {
      if (performance.now() >= untilMs) break;
      this.#count -= group.series.length;
      this.addWanted(group, () => true);
      sorted += 1;
    }
    this.#unsorted.splice(0, sorted);
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
