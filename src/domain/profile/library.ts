import { blankWidth } from './blank-width.ts';
import type { Profile, ProfileContent } from './profile.ts';

/** The author and time of a change of a profile (ISO 8601 with Z). */
export interface ProfileEdit {
  readonly principal: string;
  readonly date: string;
}

/** A new profile with what the server assigns (PROF-03, PROF-05). */
export function createdProfile(profileId: string, content: ProfileContent, { principal, date }: ProfileEdit): Profile {
  return {
    profileId,
    revision: 1,
    ...content,
    blankWidth: blankWidth(content.features),
    archived: false,
    createdBy: principal,
    createdDate: date,
    editedBy: principal,
    editedDate: date,
  };
}

/** The next revision, all of its content new (D-22). */
export function revisedProfile(profile: Profile, content: ProfileContent, edit: ProfileEdit): Profile {
  return edited({ ...profile, ...content, blankWidth: blankWidth(content.features) }, edit);
}

/** The next revision, archived; the same profile if it is archived already (D-22). */
export function archivedProfile(profile: Profile, edit: ProfileEdit): Profile {
  return profile.archived ? profile : edited({ ...profile, archived: true }, edit);
}

/** The next revision, in use again; the same profile if it is not archived (D-92). */
export function restoredProfile(profile: Profile, edit: ProfileEdit): Profile {
  return profile.archived ? edited({ ...profile, archived: false }, edit) : profile;
}

function edited(profile: Profile, { principal, date }: ProfileEdit): Profile {
  return { ...profile, revision: profile.revision + 1, editedBy: principal, editedDate: date };
}
