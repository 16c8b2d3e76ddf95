import { UNKNOWN } from './slot-sorter.ts';
import { TextOrder } from './text-order.ts';

/** Numbers stand for themselves, texts for their place among all texts of the column. */
export type ColumnKind = 'number' | 'text';

export type Cell = number | string | null;
export type Cells<Name extends string> = Readonly<Record<Name, Cell>>;

export type Condition<Name extends string> =
  | { readonly column: Name; readonly is: 'equal' | 'notEqual'; readonly value: number | string }
  /** Finds the text in any case. */
  | { readonly column: Name; readonly is: 'spelled'; readonly value: string }
  | { readonly column: Name; readonly is: 'atLeast' | 'atMost'; readonly value: number }
  | { readonly column: Name; readonly is: 'oneOf'; readonly values: readonly string[] };

const LEAST_CAPACITY = 1_024;
/** Room for rows to come. */
const CAPACITY_RATIO = 1.25;

/** Columns of numbers for the rows at their slots. A search looks through all rows in a few milliseconds. */
export class ColumnTable<Name extends string> {
  readonly #columns: Map<Name, Float64Array>;
  readonly #orders = new Map<Name, TextOrder>();
  /** Texts in the order of arrival while the table is filled; they are sorted once, when all are there. */
  readonly #arrivals = new Map<Name, Map<string, number>>();
  #present: Uint8Array;
  /** Kept between questions: making it costs more than a search. */
  #mask: Uint8Array;
  #rows = 0;

  /** The rows that the table is filled with, about so many, come in the order of the column `id`. */
  constructor(kinds: Readonly<Record<Name, ColumnKind>>, id: Name, rows: number) {
    const capacity = Math.max(LEAST_CAPACITY, Math.ceil(rows * CAPACITY_RATIO));
    const names = Object.keys(kinds) as Name[];
    this.#present = new Uint8Array(capacity);
    this.#mask = new Uint8Array(capacity);
    this.#columns = new Map(names.map((name) => [name, new Float64Array(capacity)]));
    for (const name of names) if (kinds[name] === 'text' && name !== id) this.#arrivals.set(name, new Map());
    this.#orders.set(id, new TextOrder());
  }

  column(name: Name): Float64Array {
    return this.#columns.get(name) ?? new Float64Array(0);
  }

  /** Gives false if there is no number left for a text between its neighbours, and the table has to be rebuilt. */
  put(slot: number, cells: Cells<Name>): boolean {
    if (slot >= this.#present.length) this.#grow(slot + 1);
    this.#rows = Math.max(this.#rows, slot + 1);
    for (const [name, column] of this.#columns) {
      const key = this.#learn(name, cells[name]);
      if (key === null) return false;
      column[slot] = key;
    }
    this.#present[slot] = 1;
    return true;
  }

  remove(slot: number): void {
    this.#present[slot] = 0;
  }

  /** Ends the filling, a column a step. */
  *settle(): Generator<void, void> {
    for (const [name, arrivals] of this.#arrivals) {
      const order = new TextOrder(arrivals.keys());
      const keys = Float64Array.from(arrivals.keys(), (text) => order.find(text) ?? UNKNOWN);
      const column = this.column(name);
      for (let slot = 0; slot < this.#rows; slot += 1) column[slot] = keys[column[slot] ?? UNKNOWN] ?? UNKNOWN;
      this.#orders.set(name, order);
      yield;
    }
    this.#arrivals.clear();
  }

  /** The existing rows that meet every condition: 1 at their slots. The mask is valid until the next call. */
  mask(conditions: readonly Condition<Name>[]): Uint8Array {
    const mask = this.#mask.subarray(0, this.#rows);
    mask.set(this.#present.subarray(0, this.#rows));
    for (const condition of conditions) this.#narrow(mask, condition);
    return mask;
  }

  #narrow(mask: Uint8Array, condition: Condition<Name>): void {
    const column = this.column(condition.column);
    switch (condition.is) {
      case 'equal':
        keepEqual(mask, column, this.#find(condition.column, condition.value));
        return;
      case 'notEqual':
        removeEqual(mask, column, this.#find(condition.column, condition.value));
        return;
      case 'spelled':
        keepOneOf(mask, column, new Set(this.#orders.get(condition.column)?.findInAnyCase(condition.value)));
        return;
      case 'atLeast':
        keepBetween(mask, column, condition.value, Number.POSITIVE_INFINITY);
        return;
      case 'atMost':
        keepBetween(mask, column, Number.NEGATIVE_INFINITY, condition.value);
        return;
      case 'oneOf':
        keepOneOf(mask, column, new Set(condition.values.map((value) => this.#find(condition.column, value))));
    }
  }

  #find(name: Name, value: number | string): number | undefined {
    return typeof value === 'number' ? value : this.#orders.get(name)?.find(value);
  }

  #learn(name: Name, cell: Cell): number | null {
    if (cell === null) return UNKNOWN;
    if (typeof cell === 'number') return cell;
    const arrivals = this.#arrivals.get(name);
    if (arrivals === undefined) return this.#orders.get(name)?.learn(cell) ?? null;
    const known = arrivals.get(cell);
    if (known !== undefined) return known;
    arrivals.set(cell, arrivals.size);
    return arrivals.size - 1;
  }

  #grow(least: number): void {
    const capacity = Math.max(least, this.#present.length * 2);
    const present = new Uint8Array(capacity);
    present.set(this.#present);
    this.#present = present;
    this.#mask = new Uint8Array(capacity);
    for (const [name, column] of this.#columns) {
      const grown = new Float64Array(capacity);
      grown.set(column);
      this.#columns.set(name, grown);
    }
  }
}

// A loop for each condition: one general loop would take several times as long.

function keepEqual(mask: Uint8Array, column: Float64Array, wanted = Number.NaN): void {
  for (let slot = 0; slot < mask.length; slot += 1) if (mask[slot] === 1 && column[slot] !== wanted) mask[slot] = 0;
}

function removeEqual(mask: Uint8Array, column: Float64Array, unwanted = Number.NaN): void {
  for (let slot = 0; slot < mask.length; slot += 1) if (mask[slot] === 1 && column[slot] === unwanted) mask[slot] = 0;
}

function keepBetween(mask: Uint8Array, column: Float64Array, least: number, most: number): void {
  for (let slot = 0; slot < mask.length; slot += 1) {
    if (mask[slot] === 0) continue;
    const key = column[slot] ?? UNKNOWN;
    if (!(key >= least && key <= most)) mask[slot] = 0;
  }
}

function keepOneOf(mask: Uint8Array, column: Float64Array, wanted: ReadonlySet<number | undefined>): void {
  const [first] = wanted;
  if (wanted.size <= 1) {
    keepEqual(mask, column, first);
    return;
  }
  for (let slot = 0; slot < mask.length; slot += 1) {
    if (mask[slot] === 1 && !wanted.has(column[slot])) mask[slot] = 0;
  }
}
