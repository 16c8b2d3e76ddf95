import { signOut, who } from '../people/who.ts';
import { needing, stopsWaiting } from '../plant/machines.ts';
import { Icon } from '../show/icon.tsx';
import { Link } from '../show/link.tsx';
import { words } from '../words/words.ts';
import { type Route, route } from './route.ts';

type PlaceName = 'andon' | 'stops' | 'tasks' | 'coils';

/** Every place of the rail with its icon, and the places that belong to it. */
const PLACES: readonly {
  readonly place: PlaceName;
  readonly icon: string;
  readonly with: readonly Route['place'][];
}[] = [
  { place: 'andon', icon: 'andon', with: ['machine', 'part'] },
  { place: 'stops', icon: 'downtime', with: [] },
  { place: 'tasks', icon: 'forklift', with: ['task'] },
  { place: 'coils', icon: 'coil', with: ['coil'] },
];

/** Wide screens: every place at the side. */
export function Rail() {
  return (
    <nav class="rail" aria-label={words.value.places.places}>
      <Link to={{ place: 'andon' }} class="brand" label="plantgate">
        <Icon name="brand" />
      </Link>
      <Places />
      <span class="gap" />
      <Me />
    </nav>
  );
}

/** Narrow screens: the places at the bottom, where thumbs are. */
export function Dock() {
  return (
    <nav class="dock" aria-label={words.value.places.places}>
      <Places />
      <Me />
    </nav>
  );
}

function Places() {
  const present = route.value.place;
  return (
    <>
      {PLACES.map(({ place, icon, with: inside }) => (
        <Link key={place} to={{ place }} class="place" current={present === place || inside.includes(present)}>
          <Icon name={icon} />
          <span>{words.value.places[place]}</span>
          {place === 'andon' && <Count of={needing.value} />}
          {place === 'stops' && <Count of={stopsWaiting.value} />}
        </Link>
      ))}
    </>
  );
}

function Count({ of }: { readonly of: number }) {
  if (of === 0) return null;
  return (
    <span class="n">
      <span aria-hidden="true">{of}</span>
      <span class="sr">
        {' '}
        {of} {words.value.places.waiting}
      </span>
    </span>
  );
}

function Me() {
  const person = who.value;
  if (typeof person === 'string') return null;
  const { as, out } = words.value.signIn;
  return (
    <button type="button" class="place me" aria-label={`${as(person.name)}. ${out}`} onClick={() => void signOut()}>
      <Icon name="badge" />
      <span class="clip">{person.name}</span>
    </button>
  );
}
