import type { ClockEpochs } from '../../clock-epochs.ts';
import { type Connection, transact } from '../../database/connection.ts';
import { insertInto } from '../../database/insert-into.ts';
import { condensing } from '../../database/schema/forwarding.ts';
import { correctedAt } from '../row-content.ts';
import { isStatusClass, type QueueClass } from './queue-classes.ts';
import type { QueueRow, QueueRows } from './queue-rows.ts';

const ROWS_PER_SLICE = 500;
/** Rows known at once. More rows are read when known ones have been sent. */
const MAX_KNOWN_ROWS = 200_000;

type ReadRow = Pick<QueueRow, 'seq' | 'class' | 'entity' | 'at' | 'epoch'>;

/** The waiting statuses of one machine, by number. `isSpare`: the newest can be dropped once another one is there. */
interface EntityQueue {
  readonly seqs: number[];
  isSpare: boolean;
}

/**
 * The machines' queues, which contain only statuses. They are read from the queue in slices when a server with the
 * interface alone is connected, and follow the queue from then on; the rows on disk decide. Such a server would take
 * the statuses of an outage for present ones. So while they are read, those that production does not need are dropped
 * (D-26). No queue has a head until that is done.
 */
export class StatusQueues {
  readonly #connection: Connection;
  readonly #rows: QueueRows;
  readonly #epochs: ClockEpochs;
  readonly #page;
  readonly #mark;
  readonly #putMark;
  readonly #dropMark;
  #entityQueues = new Map<string, EntityQueue>();
  #state: 'unread' | 'reading' | 'whole' = 'unread';
  #knownRows = 0;
  #readUpTo = 0;
  #condensedBefore: number | null = null;

  constructor(connection: Connection, rows: QueueRows, epochs: ClockEpochs) {
    this.#connection = connection;
    this.#rows = rows;
    this.#epochs = epochs;
    this.#page = connection.prepare<[number, number], ReadRow>(
      'SELECT seq, class, entity, at, epoch FROM queue WHERE seq > ? ORDER BY seq LIMIT ?',
    );
    this.#mark = connection.prepare<[], number>('SELECT before FROM condensing WHERE id = 1').pluck();
    this.#putMark = insertInto(connection, condensing, { or: 'REPLACE' });
    this.#dropMark = connection.prepare('DELETE FROM condensing');
    if (this.#mark.get() !== undefined) this.#begin();
  }

  /**
   * Removes the statuses before `before` that production does not need. The last one of a boot and the first of the
   * next, both sides of a change of the part and the newest one stay.
   */
  condense(before: number): void {
    this.#putMark({ id: 1, before });
    this.#begin();
  }

  /**
   * Forgets the queues and stops leaving statuses out. To be called when a server with the batch extension is
   * connected, because it takes every status with its time.
   */
  forget(): void {
    if (this.#condensedBefore !== null) this.#dropMark.run();
    this.#reset('unread');
  }

  /** A transaction was rolled back. A spare status that it removed is there again, so the queues are read again. */
  rolledBack(): void {
    if (this.#state !== 'unread') this.#begin();
  }

  get isBusy(): boolean {
    return this.#state === 'reading' && this.#knownRows < MAX_KNOWN_ROWS;
  }

  /** Reads on for a moment. */
  slice(): void {
    if (!this.isBusy) return;
    try {
      transact(this.#connection, () => this.#read());
    } catch (error) {
      this.#begin();
      throw error;
    }
  }

  /**
   * To be called in the transaction in which it is queued: one that is rolled back may give its number to another row.
   */
  queued(entity: string, seq: number): void {
    if (this.#state !== 'whole') return;
    if (seq <= this.#readUpTo) {
      this.#begin();
      return;
    }
    this.#readUpTo = seq;
    this.#add(entity, seq, false);
  }

  /** The oldest status of each machine but `excepted`, oldest first. */
  heads(excepted: ReadonlySet<string>, limit: number): readonly QueueRow[] {
    if (this.#state === 'unread') this.#begin();
    this.slice();
    if (this.isBusy) return [];
    const open = [...this.#entityQueues].filter(
      ([entity, entityQueue]) => !excepted.has(entity) && this.#mayGo(entityQueue),
    );
    const heads: QueueRow[] = [];
    for (const [entity, entityQueue] of open.toSorted(([, one], [, other]) => oldest(one) - oldest(other))) {
      if (heads.length >= limit) break;
      const head = this.#headOf(entity, entityQueue);
      if (head !== null) heads.push(head);
    }
    return heads;
  }

  #mayGo({ seqs, isSpare }: EntityQueue): boolean {
    return this.#state === 'whole' || seqs.length > 1 || !isSpare;
  }

  /** Rows leave in many ways: removed rows are dropped here when they come to the head. */
  #headOf(entity: string, entityQueue: EntityQueue): QueueRow | null {
    for (let seq = entityQueue.seqs[0]; seq !== undefined; seq = entityQueue.seqs[0]) {
      const row = this.#rows.find(seq);
      if (row?.entity === entity && isStatusClass(row.class)) return row;
      entityQueue.seqs.shift();
      this.#knownRows -= 1;
    }
    this.#entityQueues.delete(entity);
    return null;
  }

  #begin(): void {
    this.#reset('reading');
    this.#condensedBefore = this.#mark.get() ?? null;
  }

  #reset(state: 'unread' | 'reading'): void {
    this.#entityQueues = new Map();
    this.#knownRows = 0;
    this.#readUpTo = 0;
    this.#condensedBefore = null;
    this.#state = state;
  }

  #read(): void {
    const page = this.#page.all(this.#readUpTo, ROWS_PER_SLICE);
    for (const row of page) {
      this.#readUpTo = row.seq;
      if (isStatusClass(row.class)) this.#add(row.entity, row.seq, this.#isSpare(row));
    }
    if (page.length === ROWS_PER_SLICE) return;
    this.#state = 'whole';
    if (this.#condensedBefore !== null) this.#dropMark.run();
    this.#condensedBefore = null;
  }

  #add(entity: string, seq: number, isSpare: boolean): void {
    const entityQueue = this.#entityQueues.get(entity);
    if (entityQueue === undefined) {
      this.#entityQueues.set(entity, { seqs: [seq], isSpare });
      this.#knownRows += 1;
      return;
    }
    const spare = entityQueue.isSpare ? entityQueue.seqs.pop() : undefined;
    if (spare === undefined) this.#knownRows += 1;
    else this.#rows.remove(spare);
    entityQueue.seqs.push(seq);
    entityQueue.isSpare = isSpare;
  }

  #isSpare(row: ReadRow): boolean {
    if (this.#condensedBefore === null || !SPARE_CLASSES.has(row.class)) return false;
    return correctedAt(row, this.#epochs.corrections()) < this.#condensedBefore;
  }
}

function oldest({ seqs }: EntityQueue): number {
  return seqs[0] ?? Number.POSITIVE_INFINITY;
}

const SPARE_CLASSES: ReadonlySet<QueueClass> = new Set(['change', 'repeat']);
