import { CodedError, foundText } from '../error.ts';
import type { Profile } from './profile.ts';

/**
 * The outcome for a profile that another gateway edited: `taken`, `same` if it is here already, or `refused` because
 * our edit is newer.
 */
export type ReceivedProfile =
  | { readonly kind: 'taken'; readonly profile: Profile }
  | { readonly kind: 'same' }
  | { readonly kind: 'refused'; readonly error: CodedError };

/**
 * Profiles keep their ids and revisions on their way. If two places edited a profile, the later edit by date wins as a
 * whole; its revision then counts on from ours, because machines expect growing ones.
 */
export function receivedProfile(incoming: Profile, present: Profile | null): ReceivedProfile {
  if (present === null) return { kind: 'taken', profile: incoming };
  const order = editOrder(incoming, present);
  if (order < 0) return { kind: 'refused', error: editedLater(present) };
  if (order === 0) return { kind: 'same' };
  return { kind: 'taken', profile: { ...incoming, revision: Math.max(incoming.revision, present.revision + 1) } };
}

/**
 * The refusal to archive a profile here that was archived elsewhere at `at` (wall-clock milliseconds), because it was
 * edited here later; null if it may be archived.
 */
export function archivalRefusal(present: Profile, at: number): CodedError | null {
  return at < Date.parse(present.editedDate) ? editedLater(present) : null;
}

/** Above 0 if the first is the later edit. */
function editOrder(one: Profile, other: Profile): number {
  return Date.parse(one.editedDate) - Date.parse(other.editedDate) || one.revision - other.revision;
}

function editedLater({ profileId, revision, editedBy, editedDate }: Profile): CodedError {
  const here = `revision ${revision} of ${editedDate} by ${foundText(editedBy)}`;
  return new CodedError('conflict', `profile ${foundText(profileId)} was edited here later: ${here} stays`);
}
