import type { CentralVerdict } from '../domain/sync/central-verdict.ts';
import { profileIdIn, type Read, recordOf } from '../domain/sync/settle-act.ts';

/** Profiles are long: fewer than a page may have. */
const TAKE = 200;
const MAX_PAGES = 500;

/**
 * Every profile of a name that is there, as one list. The interface shows no parameters of its list: a server may know no
 * names, give fewer than it is asked for, or all of it each time. Pages overlap by one record, which shows whether the list
 * moved between two of them. What `readPath` gives in the place of an answer is handed on; a list of an unknown form is
 * given as it is.
 */
export async function readProfilesNamed<Trouble extends { readonly kind: string }>(
  profileName: string,
  readPath: (path: string) => Promise<Read | Trouble>,
): Promise<Read | Trouble | Unread> {
  const name = encodeURIComponent(profileName.toWellFormed());
  const named: unknown[] = [];
  let before: readonly string[] = [];
  for (let page = 0, skip = 0; page < MAX_PAGES; page += 1) {
    const read = await readPath(`/api/v1/profiles?name=${name}&skip=${skip}&take=${TAKE}`);
    if ('kind' in read) return read;
    const records = listIn(read.text);
    if (records === null) return read;
    const keys = records.map(keyOf);
    const found = afterPage(before, keys);
    if (found === 'end') return { status: 200, text: JSON.stringify(named) };
    if (found !== 'more') return found;
    named.push(...records.slice(before.length === 0 ? 0 : 1).filter((record) => nameIn(record) === profileName));
    skip += keys.length - 1;
    before = keys;
  }
  return UNREADABLE;
}

/** What a page is, by its keys and those of the page before it. */
function afterPage(before: readonly string[], keys: readonly string[]): 'more' | 'end' | Unread {
  if (before.length === 0) return keys.length === 0 ? 'end' : 'more';
  // All of it each time, or a page that is all one ever gets.
  if (keys.join() === before.join()) return keys.length === TAKE ? UNREADABLE : 'end';
  if (keys[0] !== before.at(-1)) return MOVED;
  return keys.length === 1 ? 'end' : 'more';
}

type Unread = Extract<CentralVerdict, { kind: 'later' | 'refused' }>;

const MOVED: Unread = { kind: 'later', detail: 'the list of profiles changed while it was read', forMs: null };
const UNREADABLE: Unread = {
  kind: 'refused',
  reason: 'the answer to it was lost, and the list of profiles there cannot be read to its end',
};

function listIn(text: string): readonly unknown[] | null {
  try {
    const value: unknown = JSON.parse(text);
    return Array.isArray(value) ? value : null;
  } catch {
    return null;
  }
}

function nameIn(record: unknown): unknown {
  return recordOf(record)?.profileName;
}

function keyOf(record: unknown): string {
  return profileIdIn(recordOf(record)) ?? JSON.stringify(record);
}
