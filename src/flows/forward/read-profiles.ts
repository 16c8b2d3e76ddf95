import type { CentralVerdict } from '../../domain/sync/central-verdict.ts';
import type { SentProfile } from '../../domain/sync/profile-match.ts';
import { creationSettlement, type Settlement } from '../../domain/sync/settle-operation.ts';
import type { ProfilePage, SettleQueries } from './settle-ports.ts';

/** Profiles are long: fewer than a page may have. */
const TAKE = 200;
/** Pages that are read in search of one profile. */
const MAX_PAGES = 500;

/**
 * Looks for a profile of ours in the list there. The interface documents no parameters of the list: a server may not
 * know the parameters, give fewer profiles than asked for, or the whole list each time. Pages overlap by one record,
 * which shows whether the list changed between two of them. Profiles for whose id `isTaken` is true are left out. Any
 * result of `readPath` that is not a page is returned unchanged.
 */
export async function findProfile<Trouble extends { readonly kind: string }>(
  sent: SentProfile,
  settling: SettleQueries,
  isTaken: (upstreamId: string) => boolean,
  readPath: (path: string) => Promise<{ readonly bytes: Uint8Array | null } | Trouble>,
): Promise<Settlement | Trouble | Unread> {
  const name = encodeURIComponent(sent.content.profileName.toWellFormed());
  const alike: (string | null)[] = [];
  let before: ProfilePage | null = null;
  for (let count = 0, skip = 0; count < MAX_PAGES; count += 1) {
    const read = await readPath(`/api/v1/profiles?name=${name}&skip=${skip}&take=${TAKE}`);
    if ('kind' in read) return read;
    const page: ProfilePage | null =
      read.bytes === null ? null : await settling.profilePage(read.bytes, sent, before === null ? 0 : 1);
    if (page === null) return UNKNOWN_FORM;
    const found = afterPage(before, page);
    if (found === 'end') return creationSettlement(alike.filter((id) => id === null || !isTaken(id)));
    if (found !== 'more') return found;
    alike.push(...page.alike);
    skip += page.records - 1;
    before = page;
  }
  return UNREADABLE;
}

/** The way in which a page follows the one before it. */
function afterPage(before: ProfilePage | null, page: ProfilePage): 'more' | 'end' | Unread {
  if (before === null) return page.records === 0 ? 'end' : 'more';
  // The server gives the whole list each time, or always the same page.
  if (page.digest === before.digest) return page.records === TAKE ? UNREADABLE : 'end';
  if (page.first !== before.last) return MOVED;
  return page.records === 1 ? 'end' : 'more';
}

type Unread = Extract<CentralVerdict, { kind: 'later' | 'refused' }>;

const MOVED: Unread = { kind: 'later', detail: 'the list of profiles changed while it was read', forMs: null };
const UNREADABLE: Unread = {
  kind: 'refused',
  reason: 'the answer to this operation was lost, and the list of profiles there cannot be read to its end',
};
const UNKNOWN_FORM: Settlement = {
  kind: 'unknown',
  reason: 'the answer to this operation was lost, and the profiles there are listed in an unknown form',
};
