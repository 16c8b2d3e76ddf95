import { asJsonObject } from '../json/json.ts';
import { blankWidth } from '../profile/blank-width.ts';
import type { Profile } from '../profile/profile.ts';
import { profileContent } from '../profile/profile-entry.ts';
import { readProfile } from '../profile/read-profile.ts';
import { FieldReader } from './field-reader.ts';
import type { Mirrored } from './mirrored.ts';

/** The author of a profile that names no author. */
const SOMEBODY = 'central server';
const NEVER = '1970-01-01T00:00:00.000Z';

/**
 * A profile of the central server, its content checked by the interface's rules. Authors and dates that the server
 * leaves out get defaults.
 */
export function mirroredProfile(value: unknown): Mirrored<Profile> {
  const fields = asJsonObject(value);
  if (fields === null) return { ok: false, id: null, fault: 'no object' };
  const reader = new FieldReader(fields);
  const profileId = reader.id('profileId');
  const catalogId = reader.integer('owningCatalogId');
  const read = readProfile(value, { ids: new Set([catalogId]), fallback: catalogId });
  const stamps = {
    revision: Math.max(1, reader.integerOrNull('revision') ?? 1),
    archived: reader.flag('archived'),
    createdBy: reader.textOrNull('createdBy') ?? SOMEBODY,
    createdDate: reader.timeOrNull('createdDate') ?? NEVER,
    editedBy: reader.textOrNull('editedBy') ?? SOMEBODY,
    editedDate: reader.timeOrNull('editedDate') ?? NEVER,
  };
  const id = reader.fault === null || profileId !== '' ? profileId : null;
  if (!read.ok) return { ok: false, id, fault: read.error.message };
  if (reader.fault !== null) return { ok: false, id, fault: reader.fault };
  const { content } = read;
  return { ok: true, record: { profileId, ...content, ...stamps, blankWidth: blankWidth(content.features) } };
}

/** The profile to be written; null if it is equal to ours. Revisions here only grow, because machines count on it. */
export function profileAfter(incoming: Profile, existing: Profile | null): Profile | null {
  if (existing === null) return incoming;
  if (existing.archived === incoming.archived && isSameContent(existing, incoming)) return null;
  return { ...incoming, revision: Math.max(incoming.revision, existing.revision + 1) };
}

function isSameContent(one: Profile, other: Profile): boolean {
  return JSON.stringify(profileContent(one)) === JSON.stringify(profileContent(other));
}
