import { type Signal, useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { seeFromNow } from '../../api/seen-age.ts';
import { choose, go } from '../../app/route.ts';
import { isDone } from '../../app/tell-outcome.ts';
import { showDone } from '../../app/toast.ts';
import { isSameContent, useUnsaved } from '../../app/unsaved.ts';
import { addProfile, archiveProfile, type Profile, restoreProfile, saveProfile } from '../../plant/profiles.ts';
import { Icon } from '../../show/icon.tsx';
import { words } from '../../words/words.ts';
import { BendTable } from './bend-table.tsx';
import { DrawingPane } from './drawing-pane.tsx';
import { NotOnMachine } from './not-on-machine.tsx';
import { faultsOf } from './profile-faults.ts';
import { ProfileFields } from './profile-fields.tsx';

export interface EditorProps {
  /** As the gateway keeps it; a new one has revision 0. */
  readonly saved: Signal<Profile | null>;
  readonly profile: Signal<Profile | null>;
}

/** The profile as it is typed, drawn while a person types. It is kept as a new revision, or added. */
export function ProfileEditor({ saved, profile }: EditorProps) {
  const selected = useSignal<number | null>(null);
  const form = useRef<HTMLDivElement>(null);
  const shown = profile.value;
  // The gateway refuses a save if another person saved after this moment.
  useEffect(seeFromNow, [saved.value]);
  useUnsaved(!isSameContent(shown, saved.value));
  if (shown === null || saved.value === null) return null;
  const faults = faultsOf(shown);
  const change = (fields: Partial<Profile>) => {
    profile.value = { ...shown, ...fields };
  };
  const tooMany = faults.get('features');
  return (
    <div class="cols cols-tasks" ref={form}>
      <div class="stack">
        <DrawingPane profile={shown} isSound={faults.size === 0} selected={selected} />
        <ProfileFields profile={shown} faults={faults} onChange={change} />
        {tooMany !== undefined && (
          <p class="err" role="alert">
            <Icon name="held" />
            {tooMany}
          </p>
        )}
        <Acts
          saved={saved}
          profile={profile}
          isSound={() => {
            form.current?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus();
            return faults.size === 0;
          }}
        />
      </div>
      <BendTable
        features={shown.features}
        faults={faults}
        selected={selected}
        onChange={(features) => change({ features })}
      />
    </div>
  );
}

interface ActsProps extends EditorProps {
  /** If not, the first wrong field has the focus. */
  readonly isSound: () => boolean;
}

function Acts({ saved, profile, isSound }: ActsProps) {
  const isAsked = useSignal(false);
  const isMoving = useSignal(false);
  const { profiles: texts, delivery } = words.value;
  const [shown, kept] = [profile.value, saved.value];
  if (shown === null || kept === null) return null;
  const isNew = kept.revision === 0;
  const isChanged = !isSameContent(shown, kept);
  const save = () => {
    if (isSound()) void (isNew ? add(shown, saved, profile) : keep(shown, shown, saved, profile));
  };
  /** Moves the saved profile. Typed changes stay unsaved. A save before the answer would move it back. */
  const move = (owningCatalogId: number) => {
    isMoving.value = true;
    void keep({ ...kept, owningCatalogId }, kept, saved, profile).then(() => {
      isMoving.value = false;
    });
  };
  if (kept.archived) {
    return (
      <div class="row">
        <button type="button" class="btn btn-main grow" onClick={() => void restore(kept, saved, profile)}>
          {texts.restore}
        </button>
        <CopyButton profileId={kept.profileId} />
      </div>
    );
  }
  return (
    <>
      <div class="row">
        <button
          type="button"
          class="btn btn-main grow"
          disabled={isMoving.value || (!isNew && !isChanged)}
          onClick={save}
        >
          {isNew ? texts.add : texts.save}
        </button>
        <button type="button" class="btn" disabled={!isChanged} onClick={() => (profile.value = kept)}>
          {texts.discard}
        </button>
      </div>
      {!isNew && (
        <div class="row">
          <CopyButton profileId={kept.profileId} />
          <button type="button" class="btn" disabled={isChanged} onClick={() => void archive(kept, saved, profile)}>
            <Icon name="box" />
            {texts.archive}
          </button>
          <button type="button" class="btn" onClick={() => (isAsked.value = true)}>
            <Icon name="machine" />
            {delivery.open}
          </button>
        </div>
      )}
      {isAsked.value && (
        <NotOnMachine
          profile={kept}
          onMove={move}
          onClose={() => {
            isAsked.value = false;
          }}
        />
      )}
    </>
  );
}

function CopyButton({ profileId }: { readonly profileId: string }) {
  return (
    <button type="button" class="btn" onClick={() => choose({ place: 'new-profile', copy: profileId })}>
      <Icon name="copy" />
      {words.value.profiles.copy}
    </button>
  );
}

type Signals = [saved: Signal<Profile | null>, profile: Signal<Profile | null>];

async function add(content: Profile, ...[saved, profile]: Signals): Promise<void> {
  const outcome = await addProfile(content);
  if (!isDone(outcome)) return;
  const { profileId, revision } = outcome.value;
  note(outcome.value, content, saved, profile);
  go({ place: 'profile', profileId });
  const { profiles: texts } = words.value;
  showDone(texts.saved(revision), texts.goesToMachines);
}

/** `content` was made from `source`. */
async function keep(content: Profile, source: Profile, ...[saved, profile]: Signals): Promise<void> {
  const before = saved.value;
  const outcome = await saveProfile(content);
  if (!isDone(outcome)) return;
  note(outcome.value, source, saved, profile);
  const undo = before === null ? null : () => putBack(before, saved, profile);
  const { profiles: texts } = words.value;
  showDone(texts.saved(outcome.value.revision), texts.goesToMachines, undo);
}

async function archive(kept: Profile, ...[saved, profile]: Signals): Promise<void> {
  if (!isDone(await archiveProfile(kept.profileId))) return;
  const archived = { ...kept, archived: true };
  note(archived, kept, saved, profile);
  const { profiles: texts } = words.value;
  const undo = () => restore(archived, saved, profile);
  showDone(texts.isArchived(kept.profileName), texts.forgotten, undo);
}

async function restore(archived: Profile, ...[saved, profile]: Signals): Promise<boolean> {
  const outcome = await restoreProfile(archived.profileId);
  if (!isDone(outcome)) return false;
  note(outcome.value, profile.value, saved, profile);
  const { profiles: texts } = words.value;
  showDone(texts.saved(outcome.value.revision), texts.goesToMachines);
  return true;
}

/** Undoes a save: the former content is saved as the newest revision. */
async function putBack(before: Profile, ...[saved, profile]: Signals): Promise<boolean> {
  const shown = saved.value;
  const outcome = await saveProfile(before);
  if (!isDone(outcome)) return false;
  note(outcome.value, shown, saved, profile);
  return true;
}

/** Shows the profile that the gateway keeps now, which was made from `source`. Changes that were typed since stay. */
function note(kept: Profile, source: Profile | null, ...[saved, profile]: Signals): void {
  const typed = profile.value;
  saved.value = kept;
  if (typed === null || isSameContent(typed, source)) {
    profile.value = kept;
    return;
  }
  const { profileName, description, category, subCategory, paintedSide, features } = typed;
  profile.value = { ...kept, profileName, description, category, subCategory, paintedSide, features };
}
