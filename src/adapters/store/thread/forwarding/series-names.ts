import type { SeriesName } from '../../protocol.ts';
import type { Connection } from '../database/connection.ts';

/** The machine and variable of each series by its number, read on demand. */
export class SeriesNames {
  readonly #select;
  readonly #known = new Map<number, SeriesName>();

  constructor(connection: Connection) {
    this.#select = connection
      .prepare<[number], [string, string]>('SELECT machine_id, name FROM variable_series WHERE id = ?')
      .raw();
  }

  /** Null for a number that was never given. */
  of(series: number): SeriesName | null {
    const known = this.#known.get(series) ?? this.#select.get(series) ?? null;
    if (known !== null) this.#known.set(series, known);
    return known;
  }
}
