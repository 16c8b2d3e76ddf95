import type { BatchFact } from '../../../../../domain/sync/batch.ts';
import type { SampleReason } from '../../../../../domain/sync/status-sample.ts';

/** The class of a row of the queue: an operation, a status by its reason for being sent, or a fact of the history. */
export type FactClass = Exclude<BatchFact['kind'], 'act' | 'status'>;
export type EntityQueueClass = 'act' | SampleReason;
export type QueueClass = EntityQueueClass | FactClass;
/** Totals are kept of these as well. */
export type TotalClass = QueueClass | 'points' | 'heldPoints' | 'setAside';

export const STATUS_CLASSES: readonly SampleReason[] = ['bootEnd', 'partChange', 'change', 'repeat'];
const STATUS_CLASS_NAMES: ReadonlySet<string> = new Set(STATUS_CLASSES);
const FACT_CLASSES: ReadonlySet<string> = new Set<FactClass>([
  'shift',
  'downtime',
  'downtimeRemoved',
  'span',
  'workSession',
  'anomaly',
  'catchUp',
  'part',
]);

export function isStatusClass(name: QueueClass | TotalClass): name is SampleReason {
  return STATUS_CLASS_NAMES.has(name);
}

export function isFactClass(name: QueueClass | TotalClass): name is FactClass {
  return FACT_CLASSES.has(name);
}
