import { useSignal } from '@preact/signals';
import { Frame } from '../../app/frame.tsx';
import { MoreButton } from '../../app/more-button.tsx';
import { SearchField } from '../../app/search-field.tsx';
import { useResource } from '../../app/use-resource.ts';
import {
  type CatalogView,
  findProfiles,
  PROFILES_SHOWN,
  type Profile,
  type ProfileChoice,
  readCatalogs,
} from '../../plant/profiles.ts';
import { Drawing } from '../../show/drawing.tsx';
import { Icon } from '../../show/icon.tsx';
import { Link } from '../../show/link.tsx';
import { sizeText, sizeUnit } from '../../show/profile-size.ts';
import { words } from '../../words/words.ts';

/** The place Profiles: the profiles of a catalog or of all, with a search of the gateway. */
export function Profiles() {
  const sought = useSignal('');
  const choice = useSignal<ProfileChoice>('all');
  const most = useSignal(PROFILES_SHOWN);
  const catalogs = useResource('', readCatalogs);
  const found = useResource(`${choice.value} ${most.value} ${sought.value.trim()}`, () =>
    findProfiles(sought.value, choice.value, most.value),
  );
  const { profiles: texts, trouble } = words.value;
  if (found.value === null || catalogs.value === null) return <Frame answer={trouble.waits} children={null} />;
  const { total, items } = found.value;
  return (
    <Frame answer={texts.answer(total)}>
      <div class="row">
        <SearchField
          label={texts.find}
          value={sought.value}
          onSearch={(text) => {
            sought.value = text;
            most.value = PROFILES_SHOWN;
          }}
        />
        <Catalogs
          catalogs={catalogs.value}
          chosen={choice.value}
          onChoose={(one) => {
            choice.value = one;
            most.value = PROFILES_SHOWN;
          }}
        />
        <Link to={{ place: 'new-profile' }} class="btn push">
          <Icon name="plus" />
          {texts.new}
        </Link>
      </div>
      {total === 0 && (
        <div class="pane empty">
          <Icon name="profiles" />
          <b>
            {sought.value.trim() !== '' ? texts.none : choice.value === 'archived' ? texts.noneArchived : texts.noneYet}
          </b>
          {choice.value !== 'archived' && <span>{texts.noneHint}</span>}
        </div>
      )}
      <section class="shapes" aria-label={words.value.places.profiles}>
        {items.map((profile) => (
          <Shape key={profile.profileId} profile={profile} />
        ))}
      </section>
      <MoreButton
        shown={items.length}
        total={total}
        onMore={() => {
          most.value += PROFILES_SHOWN;
        }}
      />
    </Frame>
  );
}

interface CatalogsProps {
  readonly catalogs: readonly CatalogView[];
  readonly chosen: ProfileChoice;
  readonly onChoose: (choice: ProfileChoice) => void;
}

function Catalogs({ catalogs, chosen, onChoose }: CatalogsProps) {
  const { all, archived } = words.value.profiles;
  const choices = [
    { choice: 'all', name: all },
    ...catalogs.map(({ catalogId, name }) => ({ choice: catalogId, name })),
    { choice: 'archived', name: archived },
  ] as const;
  return (
    <div class="tabs">
      {choices.map(({ choice, name }) => (
        <button
          type="button"
          class="tab"
          key={choice}
          aria-pressed={choice === chosen}
          onClick={() => onChoose(choice)}
        >
          {name}
        </button>
      ))}
    </div>
  );
}

function Shape({ profile }: { readonly profile: Profile }) {
  const { profileId, profileName, category, subCategory, blankWidth } = profile;
  return (
    <Link to={{ place: 'profile', profileId }} class="shape">
      <Drawing profile={profile} />
      <span>
        <span class="name">{profileName}</span>
        <br />
        <span class="sub">
          <span>{[category, subCategory].filter(Boolean).join(', ')}</span>{' '}
          <span class="num">
            {sizeText(blankWidth)} {sizeUnit()}
          </span>
        </span>
      </span>
    </Link>
  );
}
