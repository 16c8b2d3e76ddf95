import type { MachineId } from '../../../../domain/machine/machine-names.ts';
import { machineEntity, type QueuedOperation } from '../../../../domain/sync/operation.ts';
import { correctedSample, type SampleReason, type StatusSample } from '../../../../domain/sync/status-sample.ts';
import type { QueueRow } from './queue/queue-rows.ts';

const MACHINE_PREFIX = machineEntity('');

type Content = Pick<QueueRow, 'entity' | 'at' | 'epoch' | 'body'>;
/** Milliseconds to add to the times written in each clock epoch. */
export type Corrections = ReadonlyMap<number, number>;

/** The time at which the row's fact happened, by the clock as corrected since (D-04). */
export function correctedAt({ at, epoch }: Pick<QueueRow, 'at' | 'epoch'>, corrections: Corrections): number {
  return at + (corrections.get(epoch) ?? 0);
}

/** The operation of a row that has one. */
export function queuedOperation(row: Content, corrections: Corrections): QueuedOperation {
  // Bodies were written by record-queue.ts.
  return { ...(JSON.parse(row.body ?? 'null') as QueuedOperation), at: correctedAt(row, corrections) };
}

/** The status of a row that has one. */
export function statusSample(row: Content, why: SampleReason, corrections: Corrections): StatusSample {
  // The id was checked before it was queued.
  const machineId = row.entity.slice(MACHINE_PREFIX.length) as MachineId;
  return correctedSample({ machineId, at: row.at, why, json: row.body ?? '{}' }, correctedAt(row, corrections));
}
