import { randomBytes } from 'node:crypto';
import type { NewestChange } from '../../../../flows/library/profile-ports.ts';
import type { Connection } from '../database/connection.ts';

const EPOCH_BYTES = 8;

/**
 * Numbers the changes of profiles and of subscriptions in the order of their commits (delivery.ts). Numbers belong to
 * an epoch. Each opening of the database begins an epoch with its first change, so that after a restore the numbers
 * that machines bring from the lost time differ from new ones. A database salvaged from a damaged one begins one too.
 */
export class ChangeNumbers {
  readonly #epoch = randomBytes(EPOCH_BYTES).toString('hex');
  readonly #newestNumber;
  readonly #newestEpoch;
  readonly #begin;
  readonly #lastOf;

  constructor(connection: Connection) {
    this.#newestNumber = connection
      .prepare<[], number>(
        `SELECT max(
           coalesce((SELECT max(change_number) FROM profile), 0),
           coalesce((SELECT max(change_number) FROM catalog_subscription), 0)
         )`,
      )
      .pluck();
    this.#newestEpoch = connection
      .prepare<[], string>('SELECT epoch FROM profile_epoch ORDER BY id DESC LIMIT 1')
      .pluck();
    this.#begin = connection.prepare('INSERT OR IGNORE INTO profile_epoch (epoch, first_number) VALUES (?, ?)');
    // The last number of an epoch is the one before the next epoch's first.
    this.#lastOf = connection.prepare<[string], { readonly last: number | null }>(
      `SELECT (SELECT min(later.first_number) - 1 FROM profile_epoch AS later WHERE later.id > own.id) AS last
       FROM profile_epoch AS own WHERE epoch = ?`,
    );
  }

  newest(): NewestChange {
    const number = this.#newestNumber.get() ?? 0;
    if (number > 0 && this.#newestEpoch.get() === undefined) this.#begin.run(this.#epoch, number + 1);
    return { epoch: this.#newestEpoch.get() ?? '', number };
  }

  /** The number of the change that is being written. */
  next(): number {
    const number = (this.#newestNumber.get() ?? 0) + 1;
    this.#begin.run(this.#epoch, number);
    return number;
  }

  /**
   * Whether a number that was handed out with an epoch belongs to this database's own past; 0 belongs to every past.
   */
  isPast(epoch: string, number: number): boolean {
    if (number === 0) return true;
    const found = this.#lastOf.get(epoch);
    return found !== undefined && number <= (found.last ?? this.newest().number);
  }
}
