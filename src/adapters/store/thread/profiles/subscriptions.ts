import type { Machine } from '../../../../domain/plant/plant.ts';
import type { SubscriptionChange } from '../../../../domain/profile/delivery.ts';
import type { PlantRow } from '../../../../flows/store-ports.ts';
import type { Connection } from '../database/connection.ts';
import { readableJson } from '../database/damaged-records.ts';
import { insertInto } from '../database/insert-into.ts';
import { catalogSubscription } from '../database/schema/profiles.ts';
import { ChangeNumbers } from './change-numbers.ts';

type Subscriber = Pick<Machine, 'serialNumber' | 'catalogs'>;

const NOBODY: Subscriber = { serialNumber: null, catalogs: [] };

/** Remembers the changes at which machines were subscribed to catalogs and unsubscribed (delivery.ts). */
export class Subscriptions {
  readonly #numbers: ChangeNumbers;
  readonly #prior;
  readonly #put;
  readonly #of;

  constructor(connection: Connection) {
    this.#numbers = new ChangeNumbers(connection);
    this.#prior = connection
      .prepare<[string], string>("SELECT json FROM plant WHERE kind = 'machines' AND id = ?")
      .pluck();
    this.#put = insertInto(connection, catalogSubscription, { or: 'REPLACE' });
    this.#of = connection.prepare<[string], SubscriptionChange>(
      `SELECT catalog_id AS catalogId, change_number AS changeNumber
       FROM catalog_subscription WHERE serial_number = ?`,
    );
  }

  follow(epoch: string): void {
    this.#numbers.follow(epoch);
  }

  /** To be called within the transaction, before the row is written. */
  note({ kind, id, json }: PlantRow): void {
    if (kind !== 'machines') return;
    const before = subscriber(this.#prior.get(id));
    const after = subscriber(json);
    const changed = [...missingFrom(after, before), ...missingFrom(before, after)];
    if (changed.length === 0) return;
    const number = this.#numbers.next();
    for (const [serialNumber, catalogId] of changed) this.#put({ serialNumber, catalogId, changeNumber: number });
  }

  changesOf(serialNumber: string): readonly SubscriptionChange[] {
    return this.#of.all(serialNumber);
  }
}

function subscriber(json: string | null | undefined): Subscriber {
  // An older row may lack fields. A damaged row counts as no subscription, so that the machine can be written again.
  const stored: unknown = readableJson(json ?? '{}');
  if (typeof stored !== 'object' || stored === null) return NOBODY;
  const serialNumber = 'serialNumber' in stored ? stored.serialNumber : null;
  const catalogs = 'catalogs' in stored && Array.isArray(stored.catalogs) ? stored.catalogs : [];
  return {
    serialNumber: typeof serialNumber === 'string' ? serialNumber : null,
    catalogs: catalogs.filter((id) => typeof id === 'number'),
  };
}

/** The catalogs in which two subscriptions differ. */
function missingFrom(
  other: Subscriber,
  { serialNumber, catalogs }: Subscriber,
): readonly (readonly [serialNumber: string, catalogId: number])[] {
  if (serialNumber === null) return [];
  const kept = other.serialNumber === serialNumber ? other.catalogs : [];
  return catalogs.filter((id) => !kept.includes(id)).map((id) => [serialNumber, id]);
}
