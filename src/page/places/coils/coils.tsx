import { useSignal } from '@preact/signals';
import { Frame } from '../../app/frame.tsx';
import { MoreButton } from '../../app/more-button.tsx';
import { SearchField } from '../../app/search-field.tsx';
import { useResource } from '../../app/use-resource.ts';
import { COILS_SHOWN, type Coil, type FoundCoils, searchCoils } from '../../plant/coils.ts';
import { lateWriteOf } from '../../plant/late-writes.ts';
import { Icon } from '../../show/icon.tsx';
import { Link } from '../../show/link.tsx';
import { measure } from '../../show/measure.ts';
import { ScanPrompt } from '../../show/scan-prompt.tsx';
import { words } from '../../words/words.ts';

/** The place Coils: finds a coil by a scan or by words. */
export function Coils() {
  const sought = useSignal('');
  const most = useSignal(COILS_SHOWN);
  const found = useResource(`${most.value} ${sought.value}`, () => searchCoils(sought.value, most.value), {
    follow: CHANGED_COIL,
  });
  const { coils: texts } = words.value;
  return (
    <Frame answer={texts.question} more={found.value === null ? '' : texts.count(found.value.total)}>
      <ScanPrompt title={texts.scan} hint={texts.scanHint} />
      <SearchField
        label={texts.find}
        value={sought.value}
        onSearch={(text) => {
          sought.value = text;
          most.value = COILS_SHOWN;
        }}
      />
      <div class="found">
        {found.value?.items.map((coil) => (
          <CoilLink key={coil.coilId} coil={coil} />
        ))}
      </div>
      {found.value?.total === 0 && <p class="dim">{sought.value.trim() === '' ? texts.noneYet : texts.none}</p>}
      {found.value !== null && (
        <MoreButton
          shown={found.value.items.length}
          total={found.value.total}
          onMore={() => {
            most.value += COILS_SHOWN;
          }}
        />
      )}
    </Frame>
  );
}

/** Shows the new state of a listed coil. A coil that newly matches appears with the next search. */
const CHANGED_COIL = {
  event: 'coil',
  change: (found: FoundCoils, data: unknown): FoundCoils => {
    const changed = data as Coil;
    return { ...found, items: found.items.map((coil) => (coil.coilId === changed.coilId ? changed : coil)) };
  },
} as const;

function CoilLink({ coil }: { readonly coil: Coil }) {
  const { units } = words.value;
  const { coilId, gauge, color, materialType, lengthRemainingFt, location } = coil;
  const late = lateWriteOf(coilId);
  const kind = [gauge === null ? '' : `${gauge} ${units.gauge}`, color ?? '', materialType ?? ''].join(' ').trim();
  return (
    <Link to={{ place: 'coil', coilId }} class="opt lead">
      <Icon name="coil" />
      <span>
        <span class="name">{coilId}</span>
        <br />
        <span class="sub">{kind}</span>
      </span>
      <span class="stop right">
        <b>{late === null ? location : `${location} → ${late.location}`}</b>
        <span>{measure(lengthRemainingFt, 'ft')}</span>
      </span>
    </Link>
  );
}
