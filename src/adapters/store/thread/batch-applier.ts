import type { Batch, EntryRefusal, PointColumns, WireRecord } from '../protocol.ts';
import type { ClockEpochs } from './clock-epochs.ts';
import type { Connection } from './database/connection.ts';
import { diskFault, errorText } from './database/disk-fault.ts';
import { insertInto } from './database/insert-into.ts';
import { appliedBatch } from './database/schema/store.ts';
import { transact } from './database/transact.ts';
import type { StatusQueues } from './forwarding/queue/status-queues.ts';
import type { RecordWriter } from './record-writer.ts';
import type { PointJournal } from './variables/point-journal.ts';
import type { PublicationReceipts } from './variables/publication-receipts.ts';
import type { PointGroup, RecentPoints } from './variables/recent-points.ts';
import type { VariableSeries } from './variables/variable-series.ts';

export interface ApplierParts {
  readonly connection: Connection;
  readonly runId: string;
  readonly epochs: ClockEpochs;
  readonly series: VariableSeries;
  readonly journal: PointJournal;
  readonly recent: RecentPoints;
  readonly receipts: PublicationReceipts;
  readonly writer: RecordWriter;
  readonly statuses: Pick<StatusQueues, 'rolledBack'>;
}

/** Part of a batch's points, to be stored under one clock epoch. */
interface PointSlice {
  readonly from: number;
  readonly to: number;
  readonly epoch: number;
}

/** Applies batches, a group of them in one transaction, together with the number of the last: exactly once each. */
export class BatchApplier {
  readonly #parts: ApplierParts;
  readonly #noteApplied;

  constructor(parts: ApplierParts) {
    this.#parts = parts;
    this.#noteApplied = insertInto(parts.connection, appliedBatch, { or: 'REPLACE' });
  }

  /** Throws without applying any batch if the disk or one of the batches is at fault. */
  applyGroup(batches: readonly Batch[]): void {
    const groups = this.#transact(() => {
      const points = batches.flatMap((batch) => this.#applyBatch(batch, (_, apply) => apply()));
      this.#note(batches.at(-1));
      return points;
    });
    for (const group of groups) this.#parts.recent.add(group);
  }

  /**
   * Applies a batch entry by entry and gives the entries that cannot be stored. Throws only if the disk is at fault.
   */
  applySingly(batch: Batch): readonly EntryRefusal[] {
    const refusals: EntryRefusal[] = [];
    const groups = this.#transact(() => {
      const points = this.#applyBatch(batch, (entry, apply) => {
        try {
          return transact(this.#parts.connection, apply);
        } catch (error) {
          if (diskFault(error) !== 'none') throw error;
          this.#forget();
          refusals.push({ entry, reason: errorText(error) });
          return [];
        }
      });
      this.#note(batch);
      return points;
    });
    for (const group of groups) this.#parts.recent.add(group);
    return refusals;
  }

  #transact<T extends readonly PointGroup[]>(work: () => T): readonly PointGroup[] {
    try {
      return transact<readonly PointGroup[]>(this.#parts.connection, work);
    } catch (error) {
      this.#forget();
      throw error;
    }
  }

  #forget(): void {
    this.#parts.epochs.forget();
    this.#parts.series.forget();
    this.#parts.statuses.rolledBack();
  }

  #applyBatch(
    batch: Batch,
    guard: (entry: number, apply: () => readonly PointSlice[]) => readonly PointSlice[],
  ): readonly PointGroup[] {
    const { points } = batch;
    this.#parts.series.learn(points.seriesFrom, points.newSeries);
    const slices: PointSlice[] = [];
    let offset = 0;
    for (const [index, entry] of batch.entries.entries()) {
      const from = offset;
      for (const slice of guard(index, () => this.#applyEntry(entry, from, batch.at))) extend(slices, slice);
      for (const record of entry) if (record.kind === 'points') offset += record.count;
    }
    const groups = this.#pointGroups(points, slices);
    for (const group of groups) this.#parts.journal.append(group);
    return groups;
  }

  #applyEntry(entry: readonly WireRecord[], firstPoint: number, wallMs: number): readonly PointSlice[] {
    const { epochs, receipts, writer } = this.#parts;
    const slices: PointSlice[] = [];
    let from = firstPoint;
    for (const record of entry) {
      if (record.kind === 'clockCorrected') {
        const bootId = epochs.correct(record, wallMs);
        writer.correctClock(record, bootId, { epoch: epochs.current(wallMs), wallMs });
      } else if (record.kind === 'points') {
        const isNew = record.receipt === null || receipts.admit(record.receipt, wallMs);
        const to = from + record.count;
        if (isNew && record.count > 0) slices.push({ from, to, epoch: epochs.current(wallMs) });
        from = to;
      } else {
        writer.write(record, { epoch: epochs.current(wallMs), wallMs });
      }
    }
    return slices;
  }

  /** The slices' points under their stored series numbers, one group an epoch. */
  #pointGroups(points: PointColumns, slices: readonly PointSlice[]): PointGroup[] {
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
          group.series[next] = this.#parts.series.idAt(points.series[index] ?? -1);
        }
      }
      groups.push(group);
    }
    return groups;
  }

  #note(last: Batch | undefined): void {
    if (last === undefined) return;
    this.#noteApplied({ id: 1, runId: this.#parts.runId, number: last.number, writtenAt: last.at });
  }
}

/** Adds a slice. If it begins where the last one ends, they become one: a copy of many points costs as much as of one. */
function extend(slices: PointSlice[], slice: PointSlice): void {
  const last = slices.at(-1);
  if (last?.to === slice.from && last.epoch === slice.epoch) slices[slices.length - 1] = { ...last, to: slice.to };
  else slices.push(slice);
}
