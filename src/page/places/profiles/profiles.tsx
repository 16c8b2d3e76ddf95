import { useSignal } from '@preact/signals';
import { Frame } from '../../app/frame.tsx';
import { MoreButton } from '../../app/more-button.tsx';
import { SearchField } from '../../app/search-field.tsx';
import { useResource } from '../../app/use-resource.ts';
import { type CatalogView, findProfiles, PROFILES_SHOWN, type Profile, readCatalogs } from '../../plant/profiles.ts';
import { Drawing } from '../../show/drawing.tsx';
import { number } from '../../show/format.ts';
import { Icon } from '../../show/icon.tsx';
import { Link } from '../../show/link.tsx';
import { words } from '../../words/words.ts';

/** The place Profiles: the profiles of a catalog or of all, with a search of the gateway. */
export function Profiles() {
  const sought = useSignal('');
  const catalogId = useSignal<number | null>(null);
  const most = useSignal(PROFILES_SHOWN);
  const catalogs = useResource('', readCatalogs);
  const found = useResource(`${catalogId.value} ${most.value} ${sought.value.trim()}`, () =>
    findProfiles(sought.value, catalogId.value, most.value),
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
          chosen={catalogId.value}
          onChoose={(id) => {
            catalogId.value = id;
            most.value = PROFILES_SHOWN;
          }}
        />
      </div>
      {total === 0 && (
        <div class="pane empty">
          <Icon name="profiles" />
          <b>{sought.value.trim() === '' ? texts.noneYet : texts.none}</b>
          <span>{texts.noneHint}</span>
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
  readonly chosen: number | null;
  readonly onChoose: (catalogId: number | null) => void;
}

function Catalogs({ catalogs, chosen, onChoose }: CatalogsProps) {
  const choices = [{ catalogId: null, name: words.value.profiles.all }, ...catalogs];
  return (
    <div class="tabs">
      {choices.map(({ catalogId, name }) => (
        <button
          type="button"
          class="tab"
          key={catalogId}
          aria-pressed={catalogId === chosen}
          onClick={() => onChoose(catalogId)}
        >
          {name}
        </button>
      ))}
    </div>
  );
}

function Shape({ profile }: { readonly profile: Profile }) {
  const { profileId, profileName, category, subCategory, blankWidth } = profile;
  const { units } = words.value;
  return (
    <Link to={{ place: 'profile', profileId }} class="shape">
      <Drawing profile={profile} />
      <span>
        <span class="name">{profileName}</span>
        <br />
        <span class="sub">
          {[category, subCategory].filter(Boolean).join(', ')} {number(blankWidth, 4)} {units.inch}
        </span>
      </span>
    </Link>
  );
}
