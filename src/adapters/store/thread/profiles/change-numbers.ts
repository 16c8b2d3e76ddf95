import type { NewestChange } from '../../../../flows/library/profile-ports.ts';
import type { Connection } from '../database/connection.ts';
import { NumberEpochs } from '../database/number-epochs.ts';
import { profileEpoch } from '../database/schema/profiles.ts';

/** Numbers the changes of profiles and of subscriptions in the order of their commits (delivery.ts), in epochs. */
export class ChangeNumbers {
  readonly #epochs: NumberEpochs;
  readonly #newestNumber;

  constructor(connection: Connection) {
    this.#epochs = new NumberEpochs(connection, profileEpoch);
    this.#newestNumber = connection
      .prepare<[], number>(
        `SELECT max(
           coalesce((SELECT max(change_number) FROM profile), 0),
           coalesce((SELECT max(change_number) FROM catalog_subscription), 0)
         )`,
      )
      .pluck();
  }

  follow(epoch: string): void {
    this.#epochs.follow(epoch);
  }

  newest(): NewestChange {
    const number = this.#newestNumber.get() ?? 0;
    if (number > 0 && this.#epochs.newest() === '') this.#epochs.note(number + 1);
    return { epoch: this.#epochs.newest(), number };
  }

  /** The number of the change that is being written. */
  next(): number {
    const number = (this.#newestNumber.get() ?? 0) + 1;
    this.#epochs.note(number);
    return number;
  }

  isPast(epoch: string, number: number): boolean {
    return this.#epochs.isPast(epoch, number, this.newest().number);
  }
}
