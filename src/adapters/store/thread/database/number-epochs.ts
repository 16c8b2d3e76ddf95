import { randomBytes } from 'node:crypto';
import { getTableName } from 'drizzle-orm';
import type { Connection } from './connection.ts';
import { insertInto } from './insert-into.ts';
import type { profileEpoch } from './schema/profiles.ts';
import type { changeEpoch } from './schema/warehouse.ts';

const EPOCH_BYTES = 8;

/**
 * Epochs of numbers that are given to clients. Each opening of the database begins an epoch with its first number, so that
 * after a restore the numbers that clients bring from the lost time differ from new ones. A database salvaged from a
 * damaged one begins one too.
 */
export class NumberEpochs {
  #epoch = randomBytes(EPOCH_BYTES).toString('hex');
  readonly #newest;
  readonly #begin;
  readonly #lastOf;

  constructor(connection: Connection, epochs: typeof profileEpoch | typeof changeEpoch) {
    const table = getTableName(epochs);
    this.#newest = connection.prepare<[], string>(`SELECT epoch FROM ${table} ORDER BY id DESC LIMIT 1`).pluck();
    this.#begin = insertInto(connection, epochs, { or: 'IGNORE', without: ['id'] });
    // The last number of an epoch is the one before the next epoch's first.
    this.#lastOf = connection.prepare<[string], { readonly last: number | null }>(
      `SELECT (SELECT min(later.first_number) - 1 FROM ${table} AS later WHERE later.id > own.id) AS last
       FROM ${table} AS own WHERE epoch = ?`,
    );
  }

  /** The numbers from now on are given in another program's epoch, which numbers them likewise. */
  follow(epoch: string): void {
    this.#epoch = epoch;
  }

  /** Empty before the first number. */
  newest(): string {
    return this.#newest.get() ?? '';
  }

  /** To be called with each new number. */
  note(number: number): void {
    this.#begin({ epoch: this.#epoch, firstNumber: number });
  }

  /** Whether a number that was given with an epoch belongs to this database's own past; 0 belongs to every past. */
  isPast(epoch: string, number: number, newestNumber: number): boolean {
    if (number === 0) return true;
    const found = this.#lastOf.get(epoch);
    return found !== undefined && number <= (found.last ?? newestNumber);
  }
}
