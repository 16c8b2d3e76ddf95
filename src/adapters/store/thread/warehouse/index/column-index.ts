import { Slice } from '../../../../../runtime/slice.ts';
import { type Cells, type ColumnKind, ColumnTable, type Condition } from './column-table.ts';
import { type SlotPage, SlotSorter } from './slot-sorter.ts';
import { WordIndex } from './word-index.ts';

const ROWS_PER_READ = 100;
/** With more changed rows than this, reading all rows again is quicker than one by one. */
const MAX_CHANGED = 5_000;
/** From this number of changed rows on they are read again before the next question, so that it need not wait. */
const UPKEEP_AT = 1_000;

export interface IndexedRow<Name extends string> {
  /** The row's number in its table. */
  readonly slot: number;
  readonly id: string;
  readonly cells: Cells<Name>;
  /** The row is found by the beginnings of these words. */
  readonly words: readonly string[];
}

/** The source of the rows, and their indexed fields. */
export interface IndexSource<Name extends string> {
  readonly columns: Readonly<Record<Name, ColumnKind>>;
  readonly idColumn: Name;
  /** In the order of their ids; `''` begins. */
  rowsAfter(id: string, limit: number): readonly IndexedRow<Name>[];
  row(id: string): IndexedRow<Name> | null;
  count(): number;
}

export interface IndexQuery<Name extends string> {
  readonly conditions: readonly Condition<Name>[];
  /** Of words that the row has to have; without any every row is found. */
  readonly beginnings?: readonly string[];
  /** By default in the order of the ids. */
  readonly sort?: { readonly column: Name; readonly descending: boolean };
  readonly skip?: number;
  readonly take: number;
}

interface Contents<Name extends string> {
  readonly table: ColumnTable<Name>;
  readonly words: WordIndex;
}

/**
 * The index in memory for a table of hundreds of thousands of rows: any filter, any order, any page in one pass.
 * The first question fills it; then it reads changed rows again. Why SQLite does not do this: architecture.md.
 */
export class ColumnIndex<Name extends string> {
  readonly #source: IndexSource<Name>;
  /** The ids of rows that are to be read again. */
  readonly #changed = new Set<string>();
  /** The former numbers of removed rows, as far as no row read since has such a number. */
  readonly #vacated = new Set<number>();
  readonly #sorter = new SlotSorter();
  #contents: Contents<Name> | null = null;
  /** Counts how often the rows were replaced as a whole. */
  #replacements = 0;
  #upkeep: Promise<void> | null = null;

  constructor(source: IndexSource<Name>) {
    this.#source = source;
  }

  /** A row was added or changed, or will be when the present transaction ends. */
  noteChange(id: string): void {
    this.#changed.add(id);
    // After the transaction. A fault is not reported here: the next question meets it again and reports it.
    if (this.#changed.size === UPKEEP_AT) setImmediate(() => void Promise.allSettled([this.upToDate()]));
  }

  /** The row had this number. */
  noteRemoval(id: string, slot: number): void {
    this.#vacated.add(slot);
    this.noteChange(id);
  }

  /** The rows were replaced as a whole, and none keeps its number. */
  noteReplacement(): void {
    this.#contents = null;
    this.#changed.clear();
    this.#vacated.clear();
    this.#replacements += 1;
  }

  /**
   * The answer contains everything that was committed before the question. `take` is called in the turn that found the
   * page.
   */
  async page<T>(query: IndexQuery<Name>, take: (page: SlotPage) => T): Promise<T> {
    const { table, words } = await this.upToDate();
    const { idColumn } = this.#source;
    const { conditions, beginnings = [], sort = { column: idColumn, descending: false }, skip = 0 } = query;
    const mask = table.mask(conditions);
    words.narrow(mask, beginnings);
    const ties = table.column(idColumn);
    const order = { keys: table.column(sort.column), descending: sort.descending, ties };
    return take(this.#sorter.page(mask, order, skip, query.take));
  }

  /** Gives the index filled and with all changes. */
  async upToDate(): Promise<Contents<Name>> {
    while (this.#contents === null || this.#changed.size > 0) {
      this.#upkeep ??= this.#bringUpToDate().finally(() => {
        this.#upkeep = null;
      });
      await this.#upkeep;
    }
    return this.#contents;
  }

  async #bringUpToDate(): Promise<void> {
    const contents = this.#contents;
    const isWorn = contents?.words.isWorn === true;
    if (contents !== null && !isWorn && this.#changed.size <= MAX_CHANGED) {
      await this.#readAgain(contents);
      return;
    }
    const replacements = this.#replacements;
    const filled = await this.#fill();
    if (replacements === this.#replacements) this.#contents = filled;
  }

  async #fill(): Promise<Contents<Name>> {
    const { columns, idColumn } = this.#source;
    const table = new ColumnTable(columns, idColumn, this.#source.count());
    const contents = { table, words: new WordIndex() };
    const slice = new Slice();
    // Rows that change from here on are read again afterwards.
    this.#changed.clear();
    this.#vacated.clear();
    let last = '';
    for (;;) {
      const rows = this.#source.rowsAfter(last, ROWS_PER_READ);
      for (const row of rows) this.#put(contents, row);
      last = rows.at(-1)?.id ?? '';
      if (rows.length < ROWS_PER_READ) break;
      await slice.pause();
    }
    for (const _ of table.settle()) await slice.pause();
    return contents;
  }

  async #readAgain(contents: Contents<Name>): Promise<void> {
    // All removals come before any new row: the number of a removed row may have been given to another.
    for (const slot of this.#vacated) contents.table.remove(slot);
    this.#vacated.clear();
    const slice = new Slice();
    for (const id of [...this.#changed]) {
      if (this.#contents !== contents) return;
      const row = this.#source.row(id);
      if (row !== null && !this.#put(contents, row)) {
        this.#contents = null;
        return;
      }
      this.#changed.delete(id);
      await slice.pause();
    }
  }

  /** False: the table has to be rebuilt. */
  #put({ table, words }: Contents<Name>, row: IndexedRow<Name>): boolean {
    this.#vacated.delete(row.slot);
    words.put(row.slot, row.words);
    return table.put(row.slot, row.cells);
  }
}
