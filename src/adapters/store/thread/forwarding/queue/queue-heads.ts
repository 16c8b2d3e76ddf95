import type { QueueHead } from '../../../../../flows/forward/sync-ports.ts';
import type { ClockEpochs } from '../../clock-epochs.ts';
import type { Connection } from '../../database/connection.ts';
import { type Corrections, queuedOperation, statusSample } from '../row-content.ts';
import { isStatusClass } from './queue-classes.ts';
import type { QueueRow } from './queue-rows.ts';
import type { StatusQueues } from './status-queues.ts';

/** First records of entities that are given at once. */
const MAX_HEADS = 1_000;
/** Operations are given up to this size together, and one of any size alone: an order may have eight megabytes. */
const MAX_BYTES = 1_048_576;

/**
 * The heads of the queues of all entities. Rows of one entity go out one after the other, and entities side by side
 * (UP-02).
 */
export class QueueHeads {
  readonly #epochs: ClockEpochs;
  readonly #statuses: StatusQueues;
  readonly #oldestOperations;
  readonly #hasHead;

  constructor(connection: Connection, statuses: StatusQueues, epochs: ClockEpochs) {
    this.#epochs = epochs;
    this.#statuses = statuses;
    this.#oldestOperations = connection.prepare<[], QueueRow>(
      `SELECT queue.* FROM queue_head AS head_of_entity CROSS JOIN queue ON queue.seq = head_of_entity.head
       WHERE head_of_entity.head > 0 ORDER BY head_of_entity.head`,
    );
    this.#hasHead = connection.prepare<[string], number>('SELECT 1 FROM queue_head WHERE entity = ?').pluck();
  }

  /** The oldest operation or status of each entity but `except`, oldest first. */
  list(except: readonly string[], limit: number): readonly QueueHead[] {
    const excepted = new Set(except);
    const wanted = Math.min(limit, MAX_HEADS);
    const corrections = this.#epochs.corrections();
    return [...this.#operations(excepted, wanted), ...this.#statuses.heads(excepted, wanted)]
      .toSorted((one, other) => one.seq - other.seq)
      .slice(0, wanted)
      .map((row) => queueHead(row, corrections));
  }

  #operations(excepted: ReadonlySet<string>, wanted: number): readonly QueueRow[] {
    const operations: QueueRow[] = [];
    let bytes = 0;
    for (const row of this.#oldestOperations.iterate()) {
      if (excepted.has(row.entity)) continue;
      bytes += row.bytes;
      if (operations.length > 0 && bytes > MAX_BYTES) break;
      operations.push(row);
      if (operations.length >= wanted) break;
    }
    return operations;
  }

  /** Whether operations of the entity wait. */
  isQueued(entity: string): boolean {
    return this.#hasHead.get(entity) !== undefined;
  }
}

function queueHead(row: QueueRow, corrections: Corrections): QueueHead {
  const { seq, entity, class: name } = row;
  if (isStatusClass(name)) {
    const sample = statusSample(row, name, corrections);
    return { seq, entity, at: sample.at, item: { kind: 'status', sample } };
  }
  const queued = queuedOperation(row, corrections);
  return { seq, entity, at: queued.at, item: { kind: 'act', queued } };
}
