import { setImmediate as nextTurn } from 'node:timers/promises';
import type { ClockEpochs } from '../clock-epochs.ts';
import { type Connection, transact } from '../database/connection.ts';
import type { FactReader } from './fact-reader.ts';
import type { FactClass } from './queue/queue-classes.ts';
import type { QueueRow, QueueRows } from './queue/queue-rows.ts';
import type { Totals } from './queue/queue-totals.ts';
import { correctedAt } from './row-content.ts';

const ROWS_PER_SLICE = 200;
/** The kinds of history that retention deletes. Facts of other kinds wait as long as it takes. */
const EXPIRING: readonly FactClass[] = [
  'span',
  'downtime',
  'downtimeRemoved',
  'workSession',
  'anomaly',
  'catchUp',
  'shift',
];
/** Kinds whose records are all in the queue. */
const BEYOND_HISTORY: ReadonlySet<string> = new Set<FactClass>(['anomaly', 'catchUp', 'downtimeRemoved']);

/**
 * Removes facts from the queue that are no longer in the history: a server with the interface alone never takes them.
 */
export class ExpiredFacts {
  readonly #connection: Connection;
  readonly #rows: QueueRows;
  readonly #facts: FactReader;
  readonly #totals: Totals;
  readonly #epochs: ClockEpochs;

  constructor(
    connection: Connection,
    parts: { rows: QueueRows; facts: FactReader; totals: Totals; epochs: ClockEpochs },
  ) {
    this.#connection = connection;
    this.#rows = parts.rows;
    this.#facts = parts.facts;
    this.#totals = parts.totals;
    this.#epochs = parts.epochs;
  }

  /** Deletes facts from before `before`, in slices of short transactions. */
  async drop(before: number): Promise<void> {
    for (const name of EXPIRING) {
      let after = 0;
      for (;;) {
        const page = this.#rows.pageOf(name, after, ROWS_PER_SLICE);
        const old = page.filter((row) => correctedAt(row, this.#epochs.corrections()) < before);
        this.#dropGone(name, old);
        if (old.length < ROWS_PER_SLICE) break;
        after = page.at(-1)?.seq ?? 0;
        await nextTurn();
      }
    }
  }

  #dropGone(name: FactClass, old: readonly QueueRow[]): void {
    transact(this.#connection, () => {
      const corrections = this.#epochs.corrections();
      const isGone = (row: QueueRow) => BEYOND_HISTORY.has(name) || this.#facts.read(name, row, corrections) === null;
      const gone = old.filter(isGone);
      for (const { seq } of gone) this.#rows.remove(seq);
      this.#totals.countThinned(name, gone.length);
    });
  }
}
