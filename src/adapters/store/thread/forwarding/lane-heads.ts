import type { LaneHead } from '../../../../flows/sync-ports.ts';
import type { ClockEpochs } from '../clock-epochs.ts';
import type { Connection } from '../connection.ts';
import { isStatusClass } from './queue-classes.ts';
import type { QueueRow } from './queue-rows.ts';
import { type Corrections, queuedAct, statusSample } from './row-content.ts';

const MAX_HEADS = 1_000;

/** The lanes of the queue: what waits of one entity goes out one behind the other, entities side by side (UP-02). */
export class LaneHeads {
  readonly #epochs: ClockEpochs;
  readonly #oldest;
  readonly #isLane;

  constructor(connection: Connection, epochs: ClockEpochs) {
    this.#epochs = epochs;
    // A lane that is being condensed waits until it is.
    this.#oldest = connection.prepare<[number], QueueRow>(
      `SELECT queue.* FROM queue_lane AS lane CROSS JOIN queue ON queue.seq = lane.head
       WHERE lane.head > 0 AND lane.condense_before IS NULL ORDER BY lane.head LIMIT ?`,
    );
    this.#isLane = connection.prepare<[string], number>('SELECT 1 FROM queue_lane WHERE entity = ?').pluck();
  }

  /** The oldest act or status of each entity but `except`, oldest first. */
  list(except: readonly string[], limit: number): readonly LaneHead[] {
    const excepted = new Set(except);
    const wanted = Math.min(limit, MAX_HEADS);
    const corrections = this.#epochs.corrections();
    return this.#oldest
      .all(wanted + excepted.size)
      .filter(({ entity }) => !excepted.has(entity))
      .slice(0, wanted)
      .map((row) => laneHead(row, corrections));
  }

  isQueued(entity: string): boolean {
    return this.#isLane.get(entity) !== undefined;
  }
}

function laneHead(row: QueueRow, corrections: Corrections): LaneHead {
  const { seq, entity, class: name } = row;
  if (isStatusClass(name)) {
    const sample = statusSample(row, name, corrections);
    return { seq, entity, at: sample.at, item: { kind: 'status', sample } };
  }
  const queued = queuedAct(row, corrections);
  return { seq, entity, at: queued.at, item: { kind: 'act', queued } };
}
