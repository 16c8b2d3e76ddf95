import { useSignal } from '@preact/signals';
import { MoreButton } from '../../app/more-button.tsx';
import { SearchField } from '../../app/search-field.tsx';
import { locations } from '../../plant/plant.ts';
import { Icon } from '../../show/icon.tsx';
import { words } from '../../words/words.ts';

const SHOWN = 24;
const ICONS: Readonly<Record<string, string>> = {
  Warehouse: 'rack',
  StagingBay: 'staging',
  LoadingDock: 'dock',
  Machine: 'machine',
  Bin: 'bin',
};

interface LocationButtonsProps {
  readonly chosen?: string | null;
  readonly onLocation: (code: string) => void;
}

/** Places to tap; with many of them, those that hold the typed text. */
export function LocationButtons({ chosen = null, onLocation }: LocationButtonsProps) {
  const sought = useSignal('');
  const most = useSignal(SHOWN);
  const all = locations.value ?? [];
  const text = sought.value.trim().toLowerCase();
  const found = all.filter(({ code, name }) => `${code} ${name}`.toLowerCase().includes(text));
  return (
    <>
      {all.length > SHOWN && (
        <SearchField
          label={words.value.coils.findPlace}
          value={sought.value}
          onSearch={(text) => {
            sought.value = text;
          }}
        />
      )}
      <div class="reasons">
        {found.slice(0, most.value).map(({ code, name, category }) => (
          <button
            type="button"
            class="opt lead"
            key={code}
            aria-pressed={code === chosen}
            onClick={() => onLocation(code)}
          >
            <Icon name={ICONS[category] ?? 'rack'} />
            <span>
              <span class="name">{code}</span>
              <br />
              <span class="sub">{name}</span>
            </span>
          </button>
        ))}
      </div>
      {found.length === 0 && all.length > 0 && <p class="dim">{words.value.coils.noPlace}</p>}
      <MoreButton
        shown={Math.min(most.value, found.length)}
        total={found.length}
        onMore={() => {
          most.value += SHOWN;
        }}
      />
    </>
  );
}
