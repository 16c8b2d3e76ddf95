import { setImmediate as nextTurn } from 'node:timers/promises';
import type { ChangedKind, ChangePage, ChangePoint } from '../../../flows/changes/change-ports.ts';
import type { Connection } from './database/connection.ts';
import { insertInto } from './database/insert-into.ts';
import { NumberEpochs } from './database/number-epochs.ts';
import { changeEpoch, changeFeed, changeFloor } from './database/schema/warehouse.ts';

const ROWS_PER_SLICE = 200;
/** The id of an entry that stands for many records. */
const MANY = '';

interface ChangeRow {
  readonly number: number;
  readonly kind: ChangedKind;
  readonly id: string;
  readonly removed: 0 | 1;
  readonly at: number;
  readonly isHidden: 0 | 1;
}

/** The newest change of each task, coil, order and profile, in the order of the commits. */
export class ChangeFeed {
  readonly #epochs: NumberEpochs;
  readonly #put;
  readonly #newest;
  readonly #floor;
  readonly #setFloor;
  readonly #after;
  readonly #oldest;
  readonly #drop;
  /** The time of the write that is applied, if another node may have made it; null: now. */
  #writtenAt: number | null = null;

  constructor(connection: Connection) {
    this.#epochs = new NumberEpochs(connection, changeEpoch);
    this.#put = insertInto(connection, changeFeed, { or: 'REPLACE', without: ['number'] });
    this.#newest = connection.prepare<[], number>("SELECT seq FROM sqlite_sequence WHERE name = 'change_feed'").pluck();
    this.#floor = connection.prepare<[], number>('SELECT number FROM change_floor').pluck();
    this.#setFloor = insertInto(connection, changeFloor, { or: 'REPLACE' });
    // The tasks of a machine without a licence are shown to nobody (TASK-03).
    this.#after = connection.prepare<[string, number, number], ChangeRow>(
      `SELECT number, kind, id, removed, at, kind = 'task' AND EXISTS (
         SELECT 1 FROM task WHERE task_id = change_feed.id AND machine_id NOT IN (SELECT value FROM json_each(?))
       ) AS isHidden FROM change_feed WHERE number > ? ORDER BY number LIMIT ?`,
    );
    this.#oldest = connection
      .prepare<[number], number | null>('SELECT max(number) FROM change_feed WHERE at < ?')
      .pluck();
    this.#drop = connection.prepare<[number, number]>(
      'DELETE FROM change_feed WHERE number IN (SELECT number FROM change_feed WHERE number <= ? LIMIT ?)',
    );
  }

  /** The changes from now on get this time, and numbers of this epoch: another node may have made them. */
  follow(epoch: string, writtenAt: number): void {
    this.#epochs.follow(epoch);
    this.#writtenAt = writtenAt;
  }

  /** To be called in the transaction of the change. */
  note(kind: ChangedKind, id: string, isRemoved = false): void {
    const { lastInsertRowid } = this.#put({ kind, id, removed: isRemoved ? 1 : 0, at: this.#writtenAt ?? Date.now() });
    this.#epochs.note(Number(lastInsertRowid));
  }

  /** Many records of a kind may have changed: too many to name. */
  noteMany(kind: ChangedKind): void {
    this.note(kind, MANY);
  }

  /** The changes behind a point, of at most `take`; null as the point begins now. */
  page(after: ChangePoint | null, take: number, licensedMachineIds: readonly string[]): ChangePage {
    const newest = this.#newest.get() ?? 0;
    const epoch = this.#epochs.newest();
    const isKnown =
      after !== null &&
      after.number >= (this.#floor.get() ?? 0) &&
      this.#epochs.isPast(after.epoch, after.number, newest);
    if (!isKnown) return { next: { epoch, number: newest }, more: false, isReset: true, changes: [] };
    const rows = this.#after.all(JSON.stringify(licensedMachineIds), after.number, take);
    return {
      next: { epoch, number: rows.at(-1)?.number ?? after.number },
      more: rows.length === take,
      isReset: false,
      changes: rows.filter(({ isHidden }) => isHidden === 0).map(changeOf),
    };
  }

  /** Forgets the changes before a time, in slices. */
  async forget(before: number): Promise<void> {
    const oldest = this.#oldest.get(before) ?? null;
    if (oldest === null) return;
    this.#setFloor({ id: 1, number: oldest });
    while (this.#drop.run(oldest, ROWS_PER_SLICE).changes > 0) await nextTurn();
  }
}

function changeOf({ kind, id, removed, at }: ChangeRow): ChangePage['changes'][number] {
  return { kind, id: id === MANY ? null : id, isRemoved: removed === 1, at };
}
