import { removedProfile } from '../../../../domain/profile/delivered-profile.ts';
import {
  ANYTHING_HELD,
  type CatalogStay,
  changeFor,
  type DeliveryCursor,
  holdsNothing,
  newestKnown,
  type ProfilePlace,
  type Scanning,
  scanFor,
  settled,
} from '../../../../domain/profile/delivery.ts';
import { cursorText } from '../../../../domain/profile/delivery-cursor.ts';
import type { ProfileChanges, Subscriber } from '../../../../flows/library/profile-ports.ts';
import type { Connection } from '../database/connection.ts';
import { ChangeNumbers } from './change-numbers.ts';
import { jsonText } from './profile-queries.ts';
import { Subscriptions } from './subscriptions.ts';

/**
 * Bounds of a page: examined profiles, given changes, and characters of these changes. At least one change is always
 * given.
 */
export interface PageBounds {
  readonly places: number;
  readonly changes: number;
  readonly length: number;
}

export const PAGE_BOUNDS: PageBounds = { places: 2_000, changes: 100, length: 512 * 1024 };

interface PlaceRow {
  readonly profileId: string;
  readonly changeNumber: number;
  readonly catalogId: number;
  readonly archived: number;
}

/** The changes that are delivered to machines (contract.md, Machine delivery); delivery.ts says which. */
export class DeliveryQueries {
  readonly #bounds: PageBounds;
  readonly #numbers: ChangeNumbers;
  readonly #subscriptions: Subscriptions;
  readonly #places;
  readonly #stays;
  readonly #delivered;

  constructor(connection: Connection, bounds: PageBounds = PAGE_BOUNDS) {
    this.#bounds = bounds;
    this.#numbers = new ChangeNumbers(connection);
    this.#subscriptions = new Subscriptions(connection);
    this.#places = connection.prepare<[number, number], PlaceRow>(
      `SELECT profile_id AS profileId, change_number AS changeNumber, catalog_id AS catalogId, archived
       FROM profile WHERE change_number > ? ORDER BY change_number LIMIT ?`,
    );
    this.#stays = connection.prepare<[string], CatalogStay>(
      'SELECT catalog_id AS catalogId, until_number AS until FROM catalog_membership WHERE profile_id = ?',
    );
    this.#delivered = connection
      .prepare<[string], string>('SELECT delivered FROM profile WHERE profile_id = ?')
      .pluck();
  }

  /** One page of the changes for a machine with this cursor; null if no gateway made the cursor. */
  changes(cursor: DeliveryCursor | null, { serialNumber, catalogs }: Subscriber): ProfileChanges {
    const newest = this.#numbers.newest();
    const isForeign = cursor === null || !this.#numbers.isPast(cursor.epoch, newestKnown(cursor));
    const base = isForeign ? ANYTHING_HELD : cursor;
    const changed = this.#subscriptions.changesOf(serialNumber);
    const { scanning, changes, isEnd } = this.#page(scanFor(base, { catalogs, changed }));
    const next = isEnd
      ? settled(scanning, newest.epoch, newest.number)
      : { ...scanning, epoch: newest.epoch, scan: { ...scanning.scan, newest: newest.number } };
    const reset = isForeign || holdsNothing(base) ? '"reset":true,' : '';
    const text = `{"cursor":"${cursorText(next)}","more":${!isEnd},${reset}"changes":[${changes.join(',')}]}`;
    return { text: jsonText(text), newest, isForeign };
  }

  #page(scan: Scanning) {
    const { places, changes: maxChanges, length: maxLength } = this.#bounds;
    const rows = this.#places.all(scan.scan.at, places);
    const changes: string[] = [];
    let { at } = scan.scan;
    let length = 0;
    for (const row of rows) {
      if (changes.length >= maxChanges || length >= maxLength) break;
      const change = this.#change(row, scan);
      if (change !== null) changes.push(change);
      length += change?.length ?? 0;
      at = row.changeNumber;
    }
    const isEnd = rows.length < places && at === (rows.at(-1)?.changeNumber ?? at);
    return { scanning: { ...scan, scan: { ...scan.scan, at } }, changes, isEnd };
  }

  #change(row: PlaceRow, scan: Scanning): string | null {
    const { profileId } = row;
    const place: ProfilePlace = { ...row, archived: row.archived === 1 };
    const change = changeFor(place, scan, () => this.#stays.all(profileId));
    if (change === 'none') return null;
    return change === 'remove' ? JSON.stringify(removedProfile(profileId)) : (this.#delivered.get(profileId) ?? null);
  }
}
