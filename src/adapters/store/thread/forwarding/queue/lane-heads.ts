import type { LaneHead } from '../../../../../flows/forward/sync-ports.ts';
import type { ClockEpochs } from '../../clock-epochs.ts';
import type { Connection } from '../../database/connection.ts';
import { type Corrections, queuedAct, statusSample } from '../row-content.ts';
import { isStatusClass } from './queue-classes.ts';
import type { QueueRow } from './queue-rows.ts';
import type { StatusLanes } from './status-lanes.ts';

const MAX_HEADS = 1_000;

/** The lanes of the queue: what waits of one entity goes out one behind the other, entities side by side (UP-02). */
export class LaneHeads {
  readonly #epochs: ClockEpochs;
  readonly #statuses: StatusLanes;
  readonly #oldestActs;
  readonly #isLane;

  constructor(connection: Connection, statuses: StatusLanes, epochs: ClockEpochs) {
    this.#epochs = epochs;
    this.#statuses = statuses;
    this.#oldestActs = connection.prepare<[number], QueueRow>(
      `SELECT queue.* FROM queue_lane AS lane CROSS JOIN queue ON queue.seq = lane.head
       WHERE lane.head > 0 ORDER BY lane.head LIMIT ?`,
    );
    this.#isLane = connection.prepare<[string], number>('SELECT 1 FROM queue_lane WHERE entity = ?').pluck();
  }

  /** The oldest act or status of each entity but `except`, oldest first. */
  list(except: readonly string[], limit: number): readonly LaneHead[] {
    const excepted = new Set(except);
    const wanted = Math.min(limit, MAX_HEADS);
    const corrections = this.#epochs.corrections();
    const acts = this.#oldestActs.all(wanted + excepted.size).filter(({ entity }) => !excepted.has(entity));
    return [...acts, ...this.#statuses.heads(excepted, wanted)]
      .toSorted((one, other) => one.seq - other.seq)
      .slice(0, wanted)
      .map((row) => laneHead(row, corrections));
  }

  /** Whether acts of the entity wait. */
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
