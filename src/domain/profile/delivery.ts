/**
 * Decides which profile changes a machine gets (contract.md, Machine delivery; SYNC-02, SYNC-04).
 *
 * Every change of a profile gets the next change number, so each profile has the number of its latest change. The list
 * of all profiles is in the order of these numbers, and a machine reads it page by page. A cursor says what the machine
 * held when it began to read, and its place in the list. A machine may come back with any cursor that it ever had. So
 * each change of a machine's catalogs is kept with a number of the same series. If the machine's subscription to a
 * catalog changed after the cursor, the cursor proves nothing about this catalog.
 *
 *   settled ──something changed──▶ scanning ──end of the list──▶ settled
 *                                  │     ▲
 *                                  └─────┘ a page; from the start again if the machine's catalogs change meanwhile
 */
export interface DeliveryCursor {
  /** The series of its change numbers: a restored database goes on in another series. */
  readonly epoch: string;
  /** The machine knows all changes up to this one that are about the catalogs in `complete`. */
  readonly since: number;
  /** The catalogs of which the machine held every profile then. */
  readonly complete: readonly number[];
  /** The catalogs of which it may hold profiles; null means any catalog. */
  readonly held: readonly number[] | null;
  /** The place in the list; null if settled. */
  readonly scan: DeliveryScan | null;
}

export interface DeliveryScan {
  /** The catalogs for which the machine reads the list. */
  readonly catalogs: readonly number[];
  readonly at: number;
  /**
   * The newest change number when the machine got its last page; `since` before the first page. Subscriptions that
   * changed after it make their catalogs doubtful.
   */
  readonly newest: number;
}

export type Scanning = DeliveryCursor & { readonly scan: DeliveryScan };

/** A profile's place in the list. */
export interface ProfilePlace {
  readonly changeNumber: number;
  readonly catalogId: number;
  readonly archived: boolean;
}

/** A time that a profile spent in a catalog, unarchived, in change numbers; null while it is still there. */
export interface CatalogStay {
  readonly catalogId: number;
  readonly until: number | null;
}

/** The change at which a machine was last subscribed to a catalog, or unsubscribed. */
export interface SubscriptionChange {
  readonly catalogId: number;
  readonly changeNumber: number;
}

/** A machine's subscriptions; catalogs missing from `changed` never changed. */
export interface Subscription {
  readonly catalogs: readonly number[];
  readonly changed: readonly SubscriptionChange[];
}

/** The cursor of a machine that never synced. */
export const NOTHING_HELD: DeliveryCursor = { epoch: '', since: 0, complete: [], held: [], scan: null };

export function holdsNothing({ since, complete, held, scan }: DeliveryCursor): boolean {
  return since === 0 && complete.length === 0 && held?.length === 0 && scan === null;
}

/** The assumption for an unknown cursor: the machine may have any of our profiles, and perhaps others. */
export const ANYTHING_HELD: DeliveryCursor = { ...NOTHING_HELD, held: null };

/** Whether a machine that is subscribed to these catalogs, with this settled cursor, lacks nothing up to `newest`. */
export function isUpToDate(
  cursor: DeliveryCursor,
  catalogs: readonly number[],
  newest: { readonly epoch: string; readonly number: number },
): boolean {
  const isNewest = cursor.since === newest.number && cursor.epoch === newest.epoch;
  return cursor.scan === null && cursor.held !== null && isNewest && areSame(cursor.complete, catalogs);
}

/**
 * The scan that follows from a cursor. It goes on at its place in the list, or begins behind `since` if the cursor is
 * settled. If the catalogs of the machine have changed, or may have, it begins at the start of the list.
 */
export function scanFor(cursor: DeliveryCursor, { catalogs, changed }: Subscription): Scanning {
  const { since, complete, held, scan } = cursor;
  const doubtful = holdsNothing(cursor) ? [] : doubtfulCatalogs(cursor, changed);
  const isSure = doubtful.length === 0;
  if (scan === null) {
    const at = isSure && areSame(complete, catalogs) && held !== null ? since : 0;
    const sure = complete.filter((id) => !doubtful.includes(id));
    return { ...cursor, complete: sure, held: union(held, doubtful), scan: { catalogs, at, newest: since } };
  }
  if (isSure && areSame(scan.catalogs, catalogs)) return { ...cursor, scan };
  // The machine may hold a part of the catalogs that it read so far, so their profiles may have to be removed from it.
  const mayHold = union(held, [...scan.catalogs, ...doubtful]);
  return { ...cursor, complete: [], held: mayHold, scan: { ...scan, catalogs, at: 0 } };
}

/**
 * The catalogs to which the machine was subscribed, or from which it was unsubscribed, after it got its cursor. It may
 * have got answers since whose cursors it lost.
 */
function doubtfulCatalogs({ since, scan }: DeliveryCursor, changed: readonly SubscriptionChange[]): readonly number[] {
  const known = scan?.newest ?? since;
  return changed.filter(({ changeNumber }) => changeNumber > known).map(({ catalogId }) => catalogId);
}

/** The newest change that a cursor knows; a database without this change takes the cursor as foreign. */
export function newestKnown({ since, scan }: DeliveryCursor): number {
  return Math.max(since, scan?.newest ?? 0, scan?.at ?? 0);
}

/** The cursor of a machine at the end of the list, whose newest change number is `since`. */
export function settled({ scan }: Scanning, epoch: string, since: number): DeliveryCursor {
  return { epoch, since, complete: scan.catalogs, held: scan.catalogs, scan: null };
}

/**
 * The change of a profile that the machine gets. `stays` is asked only for profiles that the machine should not hold. A
 * removal is sent for each profile that it may hold, and also for those that came and went since, because it may have
 * taken an answer and lost its cursor.
 */
export function changeFor(
  { changeNumber, catalogId, archived }: ProfilePlace,
  { since, complete, held, scan }: Scanning,
  stays: () => readonly CatalogStay[],
): 'upsert' | 'remove' | 'none' {
  if (!archived && scan.catalogs.includes(catalogId)) {
    return changeNumber > since || !complete.includes(catalogId) ? 'upsert' : 'none';
  }
  if (held === null) return 'remove';
  const mayHold = stays().some(
    (stay) =>
      (stay.until === null || stay.until > since) &&
      (held.includes(stay.catalogId) || scan.catalogs.includes(stay.catalogId)),
  );
  return mayHold ? 'remove' : 'none';
}

function areSame(one: readonly number[], other: readonly number[]): boolean {
  return one.length === other.length && one.every((id) => other.includes(id));
}

/** Null means any catalog, and any catalog plus others is any catalog. */
function union(held: readonly number[] | null, more: readonly number[]): readonly number[] | null {
  return held === null ? null : [...new Set([...held, ...more])];
}
