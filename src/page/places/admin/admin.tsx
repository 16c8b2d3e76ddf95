import { useSignal } from '@preact/signals';
import type { Catalog, Location, Machine, Role } from '../../../domain/plant/plant.ts';
import { Frame } from '../../app/frame.tsx';
import { MoreButton } from '../../app/more-button.tsx';
import { choose, pathOf, route } from '../../app/route.ts';
import { SearchField } from '../../app/search-field.tsx';
import { showDone } from '../../app/toast.ts';
import { isForAllPlants, mayRead, nameOf, who } from '../../people/who.ts';
import { machineCount, placedMachines } from '../../plant/machines.ts';
import { QrCode } from '../../show/qr-code.tsx';
import { ScrollSection } from '../../show/scroll-section.tsx';
import { words } from '../../words/words.ts';
import { RestartNote } from '../set-up/restart-note.tsx';
import { useDraft } from '../set-up/settings.ts';
import { isLoaded, SettingsForm } from '../set-up/settings-form.tsx';
import { Accounts } from './accounts.tsx';
import { Backup } from './backup.tsx';
import { Keys } from './keys.tsx';
import { Machines } from './machines.tsx';
import { People } from './people.tsx';
import { Locations, Parts, ReasonCodes } from './plant-data.tsx';
import { Reasons } from './reasons.tsx';
import { useRecords } from './use-records.ts';

/** Each tab, with the lowest role that may see its content, and whether that belongs to the whole server. */
const TABS = [
  ['machines', 'technician'],
  ['people', 'admin', true],
  ['keys', 'admin', true],
  ['accounts', 'admin', true],
  ['reasons', 'technician'],
  ['parts', 'technician'],
  ['locations', 'technician'],
  ['codes', 'technician'],
  ['catalogs', 'technician'],
  ['shifts', 'admin', true],
  ['backup', 'admin'],
  ['labels', 'technician'],
] as const satisfies readonly (readonly [string, Role, true?])[];

/** The place Admin: the set-up of the gateway, in the tabs that the person may see. */
export function Admin() {
  const { admin: texts } = words.value;
  const tabs = TABS.filter(([, role, isOfServer]) => mayRead(role) && (!isOfServer || isForAllPlants()));
  const asked = route.value.place === 'admin' ? route.value.tab : undefined;
  const shown = tabs.find(([name]) => name === asked)?.[0] ?? 'machines';
  // What only administrators see is made anew for the next one.
  const person = nameOf(who.value);
  return (
    <Frame answer={texts.answer(machineCount.value ?? 0)}>
      <RestartNote />
      <div class="tabs no-print">
        {tabs.map(([name]) => (
          <button
            type="button"
            class="tab"
            key={name}
            aria-pressed={shown === name}
            onClick={() => choose({ place: 'admin', tab: name })}
          >
            {texts.tabs[name]}
          </button>
        ))}
      </div>
      {shown === 'machines' && <Machines />}
      {shown === 'people' && <People key={person} />}
      {shown === 'keys' && <Keys key={person} />}
      {shown === 'accounts' && <Accounts key={person} />}
      {shown === 'reasons' && <Reasons />}
      {shown === 'parts' && <Parts />}
      {shown === 'locations' && <Locations />}
      {shown === 'codes' && <ReasonCodes />}
      {shown === 'catalogs' && <Catalogs />}
      {shown === 'backup' && <Backup key={person} />}
      {shown === 'shifts' && <Shifts key={person} />}
      {shown === 'labels' && <Labels />}
    </Frame>
  );
}

/** When shifts begin, and where the central server is. */
function Shifts() {
  const draft = useDraft();
  const { setUp: texts } = words.value;
  if (!isLoaded(draft)) return null;
  const tell = () => showDone(texts.kept);
  return <SettingsForm draft={draft} submit={texts.keep} onDone={tell} />;
}

/** Catalogs of profiles, and which machines fetch them. They come from the plant file or the central server. */
function Catalogs() {
  const { records: catalogs } = useRecords<Catalog>('catalogs');
  const { records: machines } = useRecords<Pick<Machine, 'name' | 'catalogs'>>('machines');
  const { admin: texts } = words.value;
  if (catalogs === null || machines === null) return null;
  return (
    <>
      <ScrollSection label={texts.tabs.catalogs} class="pane flush">
        <table class="table">
          <thead>
            <tr>
              <th>{texts.reasonId}</th>
              <th>{texts.name}</th>
              <th>{texts.fetchedBy}</th>
            </tr>
          </thead>
          <tbody>
            {catalogs.map(({ catalogId, name, default: isDefault }) => (
              <tr key={catalogId}>
                <td class="num">{catalogId}</td>
                <td>
                  <b>{name}</b> {isDefault && <span class="dim">{texts.defaultCatalog}</span>}
                </td>
                <td>{machines.flatMap((one) => (one.catalogs.includes(catalogId) ? [one.name] : [])).join(', ')}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </ScrollSection>
      <p class="dim">{texts.catalogsFrom}</p>
    </>
  );
}

interface Label {
  readonly id: string;
  readonly name: string;
  /** A machine and its place among those of the coils have the same name. */
  readonly kind: string;
  /**
   * The content of the QR code. For a machine it is the address of its place, which any telephone opens; for a location
   * it is the location's code, because scanners of other programs read it too.
   */
  readonly code: string;
}

/** Labels that are drawn at once; print prints what is drawn. */
const LABELS_AT_ONCE = 100;

/** QR labels for machines and locations, to be printed. */
function Labels() {
  const { records: locations } = useRecords<Location>('locations');
  const sought = useSignal('');
  const limit = useSignal(LABELS_AT_ONCE);
  const { admin: texts } = words.value;
  const labels = [
    ...placedMachines.value.map(({ name, live: { machineId } }) => ({
      id: machineId,
      name,
      kind: texts.machine,
      code: location.origin + pathOf({ place: 'machine', machineId }),
    })),
    ...(locations ?? []).map(({ code, name }) => ({ id: code, name, kind: words.value.plantData.location, code })),
  ];
  const found = labels.filter((label) => matches(label, sought.value));
  return (
    <>
      <div class="row no-print">
        <SearchField
          label={texts.findLabel}
          value={sought.value}
          onSearch={(text) => {
            sought.value = text;
          }}
        />
        <button type="button" class="btn btn-main" onClick={() => print()}>
          {texts.print}
        </button>
      </div>
      <section class="labels" aria-label={texts.tabs.labels}>
        {found.slice(0, limit.value).map((label) => (
          <LabelCard key={label.code} label={label} />
        ))}
      </section>
      <MoreButton shown={limit.value} total={found.length} onMore={() => (limit.value += LABELS_AT_ONCE)} />
    </>
  );
}

function LabelCard({ label: { id, name, kind, code } }: { readonly label: Label }) {
  return (
    <div class="label-card">
      <QrCode text={code} label={code} />
      <p>
        <b>{name}</b>
        <br />
        {kind} {id}
      </p>
    </div>
  );
}

function matches({ id, name }: Label, sought: string): boolean {
  return `${id} ${name}`.toLowerCase().includes(sought.trim().toLowerCase());
}
