import { receivedMachineId } from '../../../../domain/sync/received-id.ts';
import type { PointJournal } from '../variables/point-journal.ts';
import type { PointGroup, RecentPoints } from '../variables/recent-points.ts';
import type { VariableSeries } from '../variables/variable-series.ts';
import { RECEIVED_EPOCH } from './fact-writer.ts';
import type { PointRun } from './read-batch.ts';

export interface PointWriterParts {
  readonly series: Pick<VariableSeries, 'idOf'>;
  readonly journal: Pick<PointJournal, 'append'>;
  readonly recent: Pick<RecentPoints, 'add'>;
}

/** Writes received points to the same journal as our own; the points of one transaction go into one row. */
export class PointWriter {
  readonly #parts: PointWriterParts;
  readonly #runs: { readonly id: number; readonly run: PointRun }[] = [];
  #written: PointGroup | null = null;

  constructor(parts: PointWriterParts) {
    this.#parts = parts;
  }

  /** To be called within a transaction, as `flush` is. */
  add(gatewayId: string, run: PointRun): void {
    if (run.at.length === 0) return;
    this.#runs.push({ id: this.#parts.series.idOf(receivedMachineId(gatewayId, run.machineId), run.name), run });
  }

  flush(): void {
    const runs = this.#runs.splice(0);
    if (runs.length === 0) return;
    const count = runs.reduce((sum, { run }) => sum + run.at.length, 0);
    const group = {
      epoch: RECEIVED_EPOCH,
      series: new Uint32Array(count),
      at: new Float64Array(count),
      value: new Float64Array(count),
      day: new Int32Array(count),
    };
    let next = 0;
    for (const { id, run } of runs) {
      const end = next + run.at.length;
      group.at.set(run.at, next);
      group.value.set(run.value, next);
      group.series.fill(id, next, end);
      group.day.fill(run.day, next, end);
      next = end;
    }
    this.#parts.journal.append(group);
    this.#written = group;
  }

  /** The transaction is committed. */
  settle(): void {
    if (this.#written !== null) this.#parts.recent.add(this.#written);
    this.#written = null;
  }

  /** The transaction was rolled back. */
  forget(): void {
    this.#runs.length = 0;
    this.#written = null;
  }
}
