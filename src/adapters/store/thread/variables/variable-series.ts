import type { SeriesName } from '../../protocol.ts';
import type { Connection } from '../database/connection.ts';
import { insertInto } from '../database/insert-into.ts';
import { variableSeries } from '../database/schema/variables.ts';

/** Gives each series (machine and variable name) the small number under which its points are stored. */
export class VariableSeries {
  readonly #select;
  readonly #insert;
  /** Names by the main thread's index, as batches bring them. */
  readonly #names: SeriesName[];
  #idByIndex: number[] = [];

  constructor(connection: Connection, names: readonly SeriesName[]) {
    this.#names = [...names];
    this.#select = connection
      .prepare<[string, string], number>('SELECT id FROM variable_series WHERE machine_id = ? AND name = ?')
      .pluck();
    this.#insert = insertInto(connection, variableSeries, { without: ['id'] });
  }

  learn(from: number, names: readonly SeriesName[]): void {
    for (const [offset, name] of names.entries()) this.#names[from + offset] = name;
  }

  /** The number of the series at the main thread's index; a new one is inserted, so to be called within a transaction. */
  idAt(index: number): number {
    const known = this.#idByIndex[index];
    if (known !== undefined) return known;
    const name = this.#names[index];
    if (name === undefined) throw new RangeError(`no series has the index ${index}`);
    const id = this.idOf(...name);
    this.#idByIndex[index] = id;
    return id;
  }

  /** The number of a series without an index of the main thread. To be called within a transaction as well. */
  idOf(machineId: string, name: string): number {
    return this.find(machineId, name) ?? Number(this.#insert({ machineId, name }).lastInsertRowid);
  }

  find(machineId: string, name: string): number | null {
    return this.#select.get(machineId, name) ?? null;
  }

  /** A transaction was rolled back: the numbers that it gave are not valid. */
  forget(): void {
    this.#idByIndex = [];
  }
}
