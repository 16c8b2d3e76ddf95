import { type Signal, useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { faultText } from '../../../domain/error.ts';
import { type Feature, stripLength } from '../../../domain/profile/profile.ts';
import { readProfile as checkProfile } from '../../../domain/profile/read-profile.ts';
import { onEvent } from '../../api/live.ts';
import { seeFromNow } from '../../api/seen-age.ts';
import { Frame } from '../../app/frame.tsx';
import { goUnlessElsewhere } from '../../app/route.ts';
import { isDone, isMissing } from '../../app/tell-outcome.ts';
import { showToast } from '../../app/toast.ts';
import { isSameContent, useUnsaved } from '../../app/unsaved.ts';
import { type Profile, readProfile, saveProfile } from '../../plant/profiles.ts';
import { Drawing } from '../../show/drawing.tsx';
import { number } from '../../show/format.ts';
import { Icon } from '../../show/icon.tsx';
import { words } from '../../words/words.ts';
import { BendTable } from './bend-table.tsx';
import { NotOnMachine } from './not-on-machine.tsx';

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
  const { profiles: texts, places, trouble } = words.value;
  const back = { to: { place: 'profiles' }, label: places.profiles } as const;
  if (profile.value === null || saved.value === null) {
    return <Frame answer={trouble.waits} back={back} children={null} />;
  }
  const { profileName, revision, editedBy } = saved.value;
  return (
    <Frame answer={profileName} more={texts.revision(revision, editedBy)} back={back}>
      <Editor saved={saved} profile={profile} />
    </Frame>
  );
}

interface EditorProps {
  readonly saved: Signal<Profile | null>;
  readonly profile: Signal<Profile | null>;
}

function Editor({ saved, profile }: EditorProps) {
  const selected = useSignal<number | null>(null);
  const isAsked = useSignal(false);
  const { profiles: texts, delivery } = words.value;
  // The gateway refuses a save if another person saved after this moment.
  useEffect(seeFromNow, [saved.value]);
  const shown = profile.value;
  const isChanged = !isSameContent(shown, saved.value);
  useUnsaved(isChanged);
  if (shown === null) return null;
  const faults = faultsOf(shown);
  const change = (fields: Partial<Profile>) => {
    profile.value = { ...shown, ...fields };
  };
  /** `content` was made from `source`. */
  const save = async (content: Profile, source: Profile) => {
    const before = saved.value;
    const outcome = await saveProfile(content);
    if (!isDone(outcome)) return;
    note(outcome.value, source, saved, profile);
    const undo = before === null ? null : () => putBack(before, saved, profile);
    showToast({ text: texts.saved(outcome.value.revision), more: texts.goesToMachines, isRefusal: false, undo });
  };
  /** Moves the saved profile to another catalog. Typed changes stay, and stay unsaved. */
  const move = async (owningCatalogId: number) => {
    if (saved.value !== null) await save({ ...saved.value, owningCatalogId }, saved.value);
  };
  return (
    <div class="cols cols-tasks">
      <div class="stack">
        <DrawingPane profile={shown} isSound={faults.length === 0} selected={selected} />
        <Texts profile={shown} onChange={change} />
        {faults.map((fault) => (
          <p class="err" role="alert" key={fault}>
            <Icon name="held" />
            {fault}
          </p>
        ))}
        <div class="row">
          <button
            type="button"
            class="btn btn-main grow"
            disabled={!isChanged || faults.length > 0}
            onClick={() => void save(shown, shown)}
          >
            {texts.save}
          </button>
          <button type="button" class="btn" disabled={!isChanged} onClick={() => (profile.value = saved.value)}>
            {texts.discard}
          </button>
          <button type="button" class="btn" onClick={() => (isAsked.value = true)}>
            <Icon name="machine" />
            {delivery.open}
          </button>
        </div>
        {isAsked.value && saved.value !== null && (
          <NotOnMachine
            profile={saved.value}
            onMove={(owningCatalogId) => void move(owningCatalogId)}
            onClose={() => {
              isAsked.value = false;
            }}
          />
        )}
      </div>
      <BendTable features={shown.features} selected={selected} onChange={(features) => change({ features })} />
    </div>
  );
}

interface DrawingPaneProps {
  readonly profile: Profile;
  /** Without a fault, so that it has a blank width. */
  readonly isSound: boolean;
  readonly selected: Signal<number | null>;
}

function DrawingPane({ profile, isSound, selected }: DrawingPaneProps) {
  const { profiles: texts, units } = words.value;
  // A half-typed number cannot be drawn. The drawing shows the last profile without a fault.
  const drawn = useRef(profile);
  if (isSound) drawn.current = profile;
  return (
    <section class="pane stack" aria-label={texts.drawing}>
      <p class="spec">
        <span>
          {texts.blankWidth}{' '}
          <b class="num">
            {isSound ? number(shownWidth(profile.features), 4) : '–'} {units.inch}
          </b>
        </span>
        {profile.paintedSide !== null && <span>{texts.painted(profile.paintedSide)}</span>}
      </p>
      <Drawing
        profile={drawn.current}
        selected={selected.value}
        onSelect={(place) => {
          selected.value = place;
        }}
      />
      <p class="dim small">{texts.tapBend}</p>
    </section>
  );
}

function Texts({
  profile,
  onChange,
}: {
  readonly profile: Profile;
  readonly onChange: (fields: Partial<Profile>) => void;
}) {
  const { profiles: texts } = words.value;
  return (
    <section class="pane cols cols-2">
      <div class="field">
        <label for="profile-name">{texts.name}</label>
        <input
          id="profile-name"
          value={profile.profileName}
          onInput={({ currentTarget: { value: profileName } }) => onChange({ profileName })}
        />
      </div>
      <div class="field">
        <label for="profile-note">{texts.note}</label>
        <input
          id="profile-note"
          value={profile.description ?? ''}
          onInput={({ currentTarget: { value } }) => onChange({ description: value === '' ? null : value })}
        />
      </div>
    </section>
  );
}

/** The faults of a profile by the gateway's own rules, checked here while a person types. */
function faultsOf(profile: Profile): readonly string[] {
  const read = checkProfile(profile, { ids: new Set([profile.owningCatalogId]), fallback: profile.owningCatalogId });
  if (read.ok) return [];
  const { faults, message } = read.error;
  return faults.length === 0 ? [message] : [...new Set(faults.map(faultText))];
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

/** Undoes a save: the former content is saved as the newest revision. */
async function putBack(
  before: Profile,
  saved: Signal<Profile | null>,
  profile: Signal<Profile | null>,
): Promise<boolean> {
  const shown = saved.value;
  const outcome = await saveProfile(before);
  if (!isDone(outcome)) return false;
  note(outcome.value, shown, saved, profile);
  return true;
}

/** Shows the profile that the gateway keeps now, which was made from `source`. Changes that were typed since stay. */
function note(
  kept: Profile,
  source: Profile | null,
  saved: Signal<Profile | null>,
  profile: Signal<Profile | null>,
): void {
  const typed = profile.value;
  saved.value = kept;
  profile.value =
    typed === null || isSameContent(typed, source)
      ? kept
      : { ...kept, profileName: typed.profileName, description: typed.description, features: typed.features };
}

/** Four decimals are shown, which a sum of binary fractions has right. The gateway adds exactly. */
function shownWidth(features: readonly Feature[]): number {
  return features.reduce((sum, feature) => sum + stripLength(feature), 0);
}
