import { machineEntity } from '../../../../domain/sync/act.ts';
import type { Connection } from '../connection.ts';
import { transact } from '../transact.ts';

const ROWS_PER_SLICE = 200;
/** Machines' lanes, in the order of their names: the first, and what comes behind the last. */
const FIRST_MACHINE = machineEntity('');
const BEHIND_MACHINES = `${FIRST_MACHINE.slice(0, -1)};`;

interface Lane {
  readonly entity: string;
  readonly condense_before: number;
}

/**
 * Leaves out statuses that make no difference to what was produced, where a server without times of its own would take
 * them for the present (D-26). Lanes are condensed one after the other, in slices; until one is, it waits.
 */
export class Condensing {
  readonly #connection: Connection;
  readonly #mark;
  readonly #unmarkAll;
  readonly #unmark;
  readonly #nextLane;
  readonly #delete;

  constructor(connection: Connection) {
    this.#connection = connection;
    this.#mark = connection.prepare<[number, string, string]>(
      'UPDATE queue_lane SET condense_before = ? WHERE entity >= ? AND entity < ?',
    );
    this.#unmarkAll = connection.prepare(
      'UPDATE queue_lane SET condense_before = NULL WHERE condense_before IS NOT NULL AND head > 0',
    );
    this.#unmark = connection.prepare<[string]>('UPDATE queue_lane SET condense_before = NULL WHERE entity = ?');
    this.#nextLane = connection.prepare<[], Lane>(
      `SELECT entity, condense_before FROM queue_lane
       WHERE condense_before IS NOT NULL AND head > 0 ORDER BY head LIMIT 1`,
    );
    this.#delete = connection.prepare<[{ entity: string; before: number; limit: number }]>(
      `DELETE FROM queue WHERE seq IN (
         SELECT seq FROM queue
         WHERE entity = @entity AND fact_key IS NULL AND class IN ('change', 'repeat')
           AND seq < (SELECT max(seq) FROM queue WHERE entity = @entity AND fact_key IS NULL)
           AND at + coalesce((SELECT correction_ms FROM clock_epoch WHERE id = queue.epoch), 0) < @before
         ORDER BY seq LIMIT @limit)`,
    );
  }

  /** Of statuses before `before`, those stay that make production whole: a boot's last, a new part's first, the newest. */
  begin(before: number): void {
    this.#mark.run(before, FIRST_MACHINE, BEHIND_MACHINES);
  }

  /** A server that takes every status with its time is there. */
  stop(): void {
    if (this.isBusy) this.#unmarkAll.run();
  }

  get isBusy(): boolean {
    return this.#nextLane.get() !== undefined;
  }

  slice(): void {
    const lane = this.#nextLane.get();
    if (lane === undefined) return;
    transact(this.#connection, () => {
      const { entity, condense_before: before } = lane;
      const deleted = this.#delete.run({ entity, before, limit: ROWS_PER_SLICE }).changes;
      if (deleted < ROWS_PER_SLICE) this.#unmark.run(entity);
    });
  }
}
