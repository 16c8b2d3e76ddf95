import type { DeliveryCursor } from './delivery.ts';

/** Cursors as text that is safe in a query: `1.EPOCH.SINCE.COMPLETE.HELD.` and, in a scan, `CATALOGS.AT.NEWEST`, opaque to machines. */

const VERSION = '1';
const RADIX = 36;
const ANY = '*';
const SAME = '_';
const NONE = '';

const IDS = '([0-9a-z]{1,7}(?:-[0-9a-z]{1,7})*)?';
const NUMBER = '[0-9a-z]{1,11}';
const CURSOR = new RegExp(
  `^${VERSION}\\.([0-9a-f]{0,32})\\.(${NUMBER})\\.${IDS}\\.(${IDS}|\\${ANY}|${SAME})\\.(?:${IDS}\\.(${NUMBER})\\.(${NUMBER}))?$`,
);

export function cursorText({ epoch, since, complete, held, scan }: DeliveryCursor): string {
  const heldText = held === null ? ANY : String(held) === String(complete) ? SAME : idsText(held);
  const scanText =
    scan === null ? NONE : [idsText(scan.catalogs), scan.at.toString(RADIX), scan.newest.toString(RADIX)].join('.');
  return [VERSION, epoch, since.toString(RADIX), idsText(complete), heldText, scanText].join('.');
}

/** Gives null for a text that no gateway made. */
export function readCursor(text: string): DeliveryCursor | null {
  const match = CURSOR.exec(text);
  if (match === null) return null;
  const [, epoch = '', since = '0', complete, held = '', , catalogs, at, newest = '0'] = match;
  const completeIds = readIds(complete);
  const heldIds = held === ANY ? null : held === SAME ? completeIds : readIds(held);
  const scan =
    at === undefined ? null : { catalogs: readIds(catalogs), at: readNumber(at), newest: readNumber(newest) };
  return { epoch, since: readNumber(since), complete: completeIds, held: heldIds, scan };
}

function idsText(ids: readonly number[]): string {
  return ids.map((id) => id.toString(RADIX)).join('-');
}

function readIds(text: string | undefined): readonly number[] {
  return text === undefined || text === '' ? [] : text.split('-').map(readNumber);
}

function readNumber(text: string): number {
  return Number.parseInt(text, RADIX);
}
