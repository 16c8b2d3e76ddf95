import { DAY_MS } from '../../../domain/time.ts';
import type { VariablePoint } from '../../../flows/store-ports.ts';
import type { Batch, SeriesName, StoreFact, WireRecord } from '../protocol.ts';

/** Turns records into numbered batches that are cheap to copy to the store thread; numbers each series once a run. */
export class BatchEncoder {
  readonly #series: SeriesName[] = [];
  readonly #indexByMachine = new Map<string, Map<string, number>>();
  #number = 0;
  #dayText = '';
  #day = 0;

  /** All series numbered so far, for a restarted thread. */
  get series(): readonly SeriesName[] {
    return this.#series;
  }

  encode(entries: readonly { readonly records: Iterable<StoreFact> }[], wallMs: number): Batch {
    this.#number += 1;
    const seriesFrom = this.#series.length;
    const points: VariablePoint[] = [];
    const wireEntries = entries.map((entry) =>
      Array.from(entry.records, (record): WireRecord => {
        if (record.kind !== 'variables') return record;
        for (const point of record.points) points.push(point);
        return { kind: 'points', count: record.points.length, receipt: record.receipt };
      }),
    );
    const columns = this.#columns(points);
    const newSeries = this.#series.slice(seriesFrom);
    return { number: this.#number, at: wallMs, entries: wireEntries, points: { seriesFrom, newSeries, ...columns } };
  }

  #columns(points: readonly VariablePoint[]) {
    const series = new Uint32Array(points.length);
    const at = new Float64Array(points.length);
    const value = new Float64Array(points.length);
    const day = new Int32Array(points.length);
    points.forEach((point, index) => {
      series[index] = this.#seriesIndex(point.machineId, point.name);
      at[index] = Math.round(point.at);
      value[index] = point.value;
      day[index] = this.#shiftDay(point.shiftDate);
    });
    return { series, at, value, day };
  }

  #seriesIndex(machineId: string, name: string): number {
    let byName = this.#indexByMachine.get(machineId);
    if (byName === undefined) {
      byName = new Map();
      this.#indexByMachine.set(machineId, byName);
    }
    const known = byName.get(name);
    if (known !== undefined) return known;
    const index = this.#series.push([machineId, name]) - 1;
    byName.set(name, index);
    return index;
  }

  #shiftDay(shiftDate: string): number {
    if (shiftDate !== this.#dayText) {
      this.#day = dayNumber(shiftDate);
      this.#dayText = shiftDate;
    }
    return this.#day;
  }
}

/** A date YYYY-MM-DD as days since 1970. */
export function dayNumber(date: string): number {
  return Math.floor(Date.parse(`${date}T00:00:00Z`) / DAY_MS);
}
