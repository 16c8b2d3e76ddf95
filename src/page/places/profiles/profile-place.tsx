import { type Signal, useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { onEvent } from '../../api/live.ts';
import { Frame } from '../../app/frame.tsx';
import { goUnlessElsewhere } from '../../app/route.ts';
import { isDone, isMissing } from '../../app/tell-outcome.ts';
import { isSameContent } from '../../app/unsaved.ts';
import { type Profile, readCatalogs, readProfile } from '../../plant/profiles.ts';
import { usualSize } from '../../show/profile-size.ts';
import { words } from '../../words/words.ts';
import { ProfileEditor } from './profile-editor.tsx';

/**
 * One profile. A feature that is selected in the table is marked in the drawing, and vice versa. The profile is drawn
 * while a person types, and saved as a new revision.
 */
export function ProfilePlace({ profileId }: { readonly profileId: string }) {
  const saved = useSignal<Profile | null>(null);
  const profile = useSignal<Profile | null>(null);
  useEffect(() => {
    void load(profileId, saved, profile);
    return onEvent('reset', () => load(profileId, saved, profile));
  }, [profileId, saved, profile]);
  const { profiles: texts, trouble } = words.value;
  if (saved.value === null) return <Frame answer={trouble.waits} back={back()} children={null} />;
  const { profileName, revision, editedBy, archived } = saved.value;
  const answer = archived ? texts.isArchived(profileName) : profileName;
  return (
    <Frame answer={answer} more={texts.revision(revision, editedBy)} back={back()}>
      <ProfileEditor saved={saved} profile={profile} />
    </Frame>
  );
}

/** A profile that is not saved yet: an angle to begin with, or a copy. */
export function NewProfile({ copy }: { readonly copy?: string | undefined }) {
  const saved = useSignal<Profile | null>(null);
  const profile = useSignal<Profile | null>(null);
  useEffect(() => {
    void draft(copy).then((drafted) => {
      saved.value = drafted;
      profile.value = drafted;
    });
  }, [copy, saved, profile]);
  const { profiles: texts, trouble } = words.value;
  if (saved.value === null) return <Frame answer={trouble.waits} back={back()} children={null} />;
  return (
    <Frame answer={profile.value?.profileName.trim() || texts.new} more={texts.newHint} back={back()}>
      <ProfileEditor saved={saved} profile={profile} />
    </Frame>
  );
}

function back() {
  return { to: { place: 'profiles' }, label: words.value.places.profiles } as const;
}

/** Null: what it begins with could not be read, which was told. */
async function draft(copy: string | undefined): Promise<Profile | null> {
  const { profiles: texts } = words.value;
  const [source, catalogs] = await Promise.all([copy === undefined ? null : readProfile(copy), readCatalogs()]);
  if (!isDone(catalogs) || (source !== null && !isDone(source))) return null;
  const { catalogId: owningCatalogId = 0 } =
    catalogs.value.find(({ isDefault }) => isDefault) ?? catalogs.value[0] ?? {};
  if (source === null) return { ...NEW, features: angle(), profileName: texts.new, owningCatalogId };
  const { value: copied } = source;
  const isThere = catalogs.value.some(({ catalogId }) => catalogId === copied.owningCatalogId);
  return {
    ...copied,
    ...NOT_SAVED,
    profileName: texts.copyOf(copied.profileName),
    owningCatalogId: isThere ? copied.owningCatalogId : owningCatalogId,
  };
}

const NOT_SAVED = { profileId: '', revision: 0, archived: false } as const;

const NEW = {
  ...NOT_SAVED,
  description: null,
  category: null,
  subCategory: null,
  paintedSide: null,
  blankWidth: 0,
  createdBy: '',
  createdDate: '',
  editedBy: '',
  editedDate: '',
} as const;

function angle(): Profile['features'] {
  const straight = { type: 'Straight', length: 2 * usualSize(), hemHeight: 0 } as const;
  return [straight, { type: 'Angle', angle: 90, hemHeight: 0 }, straight];
}

async function load(profileId: string, saved: Signal<Profile | null>, profile: Signal<Profile | null>): Promise<void> {
  const goOn = goUnlessElsewhere();
  const before = saved.value;
  const outcome = await readProfile(profileId);
  if (isMissing(outcome)) goOn({ place: 'profiles' });
  // A person may have typed while the answer was on its way. The typed changes stay.
  if (!isDone(outcome) || !isSameContent(profile.value, saved.value)) return;
  // A save or another load was answered meanwhile. This answer may be older.
  if (saved.value !== before && outcome.value.revision < (saved.value?.revision ?? 0)) return;
  saved.value = outcome.value;
  profile.value = outcome.value;
}
