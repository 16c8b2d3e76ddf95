import { useSignal } from '@preact/signals';
import { Frame } from '../app/frame.tsx';
import { pathOf, type Route, route } from '../app/route.ts';
import { Sheet } from '../app/sheet.tsx';
import { leave, loadDocument } from '../app/unsaved.ts';
import { nameOf, who } from '../people/who.ts';
import { ScopeField, ScopeText } from '../places/admin/scope-field.tsx';
import { hasOnlyGateways } from '../plant/fleet.ts';
import { Icon } from '../show/icon.tsx';
import { keepPlant, ownPlants, seesSeveral, shownPlant } from './own-plants.ts';
import { plantWords } from './plant-words.ts';
import type { PlantParts } from './several-plants.ts';

/** They are about the whole server, whatever plant is shown. */
const OF_SERVER: ReadonlySet<Route['place']> = new Set(['plants', 'alerts', 'sync']);
/** Where no machine is set up, Plants stands in their place. */
const OF_MACHINES: ReadonlySet<Route['place']> = new Set(['andon', 'production']);

/** The place that stands for one of a record, which another plant need not have. */
const LIST_OF: Partial<Record<Route['place'], Route>> = {
  machine: { place: 'andon' },
  part: { place: 'andon' },
  variables: { place: 'andon' },
  task: { place: 'tasks' },
  coil: { place: 'coils' },
  profile: { place: 'profiles' },
  'new-profile': { place: 'profiles' },
  andon: { place: 'andon' },
  stops: { place: 'stops' },
  production: { place: 'production' },
  tasks: { place: 'tasks' },
  nowhere: { place: 'andon' },
};

/** The plant that is shown, and the way to another one: in the head of every place that is about a plant. */
function PlantChoice() {
  const isOpen = useSignal(false);
  const { another, choose } = plantWords.value;
  const name = shownPlant.value?.name ?? '';
  const { place } = route.value;
  if (!seesSeveral() || OF_SERVER.has(place) || (hasOnlyGateways.value && OF_MACHINES.has(place))) return null;
  const close = () => {
    isOpen.value = false;
  };
  return (
    <div>
      <button type="button" class="plant-choice" aria-label={choose(name)} onClick={() => (isOpen.value = true)}>
        <Icon name="plant" />
        <span class="clip">{name}</span>
        <Icon name="down" />
      </button>
      {isOpen.value && (
        <Sheet title={another} onClose={close}>
          <PlantLinks onChosen={close} />
        </Sheet>
      )}
    </div>
  );
}

/** Shown instead of the place if the address names a plant that the person is not for: somebody else has sent it. */
function ForeignPlant() {
  const { foreign, foreignHint, none } = plantWords.value;
  return (
    <Frame answer={foreign} more={ownPlants.value?.length === 0 ? none : foreignHint}>
      <PlantLinks />
    </Frame>
  );
}

/**
 * Links to the shown place in each plant of the person. Another plant is another document, so that nothing of the plant
 * before is left on the page.
 */
function PlantLinks({ onChosen = () => undefined }: { readonly onChosen?: () => void }) {
  const place = LIST_OF[route.value.place] ?? route.value;
  return (
    <div class="found">
      {(ownPlants.value ?? []).map(({ plantId, name }) => {
        const address = pathOf(place, plantId);
        const isShown = plantId === shownPlant.value?.plantId;
        const follow = (event: MouseEvent) => {
          if (event.ctrlKey || event.metaKey || event.shiftKey) return;
          event.preventDefault();
          onChosen();
          if (!isShown) leave(() => showOther(plantId, address));
        };
        return (
          <a key={plantId} href={address} class="opt lead" aria-current={isShown ? 'true' : undefined} onClick={follow}>
            <Icon name="plant" />
            <span class="name">{name}</span>
            <Icon name={isShown ? 'check' : 'right'} />
          </a>
        );
      })}
    </div>
  );
}

function showOther(plantId: string, address: string): void {
  keepPlant(nameOf(who.value), plantId);
  loadDocument(address);
}

/** The file that `followSeveralPlants` loads. */
export const PLANT_PARTS: PlantParts = { ForeignPlant, PlantChoice, ScopeField, ScopeText };
