import type { SampleReason } from '../../../../../domain/sync/status-sample.ts';
import type { QueueTotals, ServerKind } from '../../../../../flows/forward/sync-ports.ts';
import type { ClockEpochs } from '../../clock-epochs.ts';
import type { Connection } from '../../database/connection.ts';
import { correctedAt } from '../row-content.ts';
import { isFactClass, isStatusClass, STATUS_CLASSES, type TotalClass } from './queue-classes.ts';

interface TotalRow {
  readonly class: TotalClass;
  readonly depth: number;
  readonly bytes: number;
  readonly thinned: number;
}
type Dated = { readonly at: number; readonly epoch: number };

/** The amount of waiting records. The database knows it without counting (migrations/first-ten/0005-queue.ts). */
export class Totals {
  readonly #epochs: ClockEpochs;
  readonly #rows;
  readonly #thin;
  readonly #stream;
  readonly #oldestRow;
  readonly #oldestOperation;
  readonly #oldestOfClass;
  readonly #oldestWaiting;
  readonly #oldestHeld;

  constructor(connection: Connection, epochs: ClockEpochs) {
    this.#epochs = epochs;
    this.#rows = connection.prepare<[], TotalRow>('SELECT * FROM queue_total');
    this.#thin = connection.prepare<[number, TotalClass]>(
      'UPDATE queue_total SET thinned = thinned + ? WHERE class = ?',
    );
    this.#stream = connection.prepare<[], string>('SELECT stream FROM sync_stream WHERE id = 1').pluck();
    this.#oldestRow = connection.prepare<[], Dated>('SELECT at, epoch FROM queue WHERE seq > 0 ORDER BY seq LIMIT 1');
    this.#oldestOperation = connection.prepare<[], Dated>(
      `SELECT at, epoch FROM queue_head AS head_of_entity CROSS JOIN queue ON queue.seq = head_of_entity.head
       WHERE head_of_entity.head > 0 ORDER BY head_of_entity.head LIMIT 1`,
    );
    this.#oldestOfClass = connection.prepare<[SampleReason], Dated>(
      'SELECT at, epoch FROM queue WHERE class = ? ORDER BY seq LIMIT 1',
    );
    const oldestPoints = (condition: string) =>
      connection.prepare<[], Dated>(
        `SELECT waiting.at, epoch FROM queue_points AS waiting CROSS JOIN variable_recent ON id = row
         WHERE ${condition} AND row > 0 ORDER BY row LIMIT 1`,
      );
    this.#oldestWaiting = oldestPoints('held_before IS NULL');
    this.#oldestHeld = oldestPoints('held_before IS NOT NULL');
  }

  /** The size of all waiting records, in bytes. Refused ones, which were set aside, do not wait. */
  bytes(): number {
    return sum(this.#rows.all().filter(({ class: name }) => name !== 'setAside')).bytes;
  }

  of(server: ServerKind): QueueTotals {
    const rows = this.#rows.all();
    const isHeld = (name: TotalClass) => server === 'interface' && (isFactClass(name) || name === 'heldPoints');
    const waiting = sum(rows.filter(({ class: name }) => name !== 'setAside' && !isHeld(name)));
    const thinnedOf = (isCounted: (name: TotalClass) => boolean) =>
      sum(rows.filter(({ class: name }) => isCounted(name))).thinned;
    return {
      depth: waiting.depth,
      bytes: waiting.bytes,
      oldestAt: this.#oldestAt(server),
      held: sum(rows.filter(({ class: name }) => isHeld(name))),
      thinned: {
        points: thinnedOf((name) => name === 'points'),
        statuses: thinnedOf(isStatusClass),
        facts: thinnedOf(isFactClass),
      },
      setAside: rows.find(({ class: name }) => name === 'setAside')?.depth ?? 0,
      stream: this.#stream.get() ?? null,
    };
  }

  /** To be called in the transaction in which they are given up. */
  countThinned(name: TotalClass, count: number): void {
    if (count > 0) this.#thin.run(count, name);
  }

  #oldestAt(server: ServerKind): number | null {
    const corrections = this.#epochs.corrections();
    const candidates =
      server === 'interface'
        ? [
            this.#oldestOperation.get(),
            ...STATUS_CLASSES.map((name) => this.#oldestOfClass.get(name)),
            this.#oldestWaiting.get(),
          ]
        : [this.#oldestRow.get(), this.#oldestWaiting.get(), this.#oldestHeld.get()];
    const times = candidates.filter((row) => row !== undefined).map((row) => correctedAt(row, corrections));
    return times.length === 0 ? null : Math.min(...times);
  }
}

function sum(rows: readonly TotalRow[]): { depth: number; bytes: number; thinned: number } {
  const total = { depth: 0, bytes: 0, thinned: 0 };
  for (const { depth, bytes, thinned } of rows) {
    total.depth += depth;
    total.bytes += bytes;
    total.thinned += thinned;
  }
  return total;
}
