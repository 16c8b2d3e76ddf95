import { askForPerson } from '../people/asked.ts';
import { onlyShows, panelOf, signOut, who } from '../people/who.ts';
import { fleet, hasOnlyGateways, showsFleet } from '../plant/fleet.ts';
import { needing, stopsWaiting } from '../plant/machines.ts';
import { unattainableTasks } from '../plant/tasks.ts';
import { Icon } from '../show/icon.tsx';
import { Link } from '../show/link.tsx';
import { words } from '../words/words.ts';
import { type Route, route } from './route.ts';
import { isDone } from './tell-outcome.ts';

/** A place of the rail. On narrow screens those that are not `daily` lie under More. */
interface PlaceLink {
  readonly place:
    | 'plants'
    | 'andon'
    | 'stops'
    | 'production'
    | 'tasks'
    | 'coils'
    | 'orders'
    | 'profiles'
    | 'sync'
    | 'events'
    | 'admin';
  readonly icon: string;
  readonly isDaily: boolean;
  /** Places that belong to it. */
  readonly with: readonly Route['place'][];
}

const OWN_PLACES: readonly PlaceLink[] = [
  { place: 'andon', icon: 'andon', isDaily: true, with: ['machine', 'part'] },
  { place: 'stops', icon: 'downtime', isDaily: true, with: [] },
  { place: 'production', icon: 'production', isDaily: true, with: [] },
  { place: 'tasks', icon: 'forklift', isDaily: true, with: ['task'] },
  { place: 'coils', icon: 'coil', isDaily: false, with: ['coil'] },
  { place: 'orders', icon: 'orders', isDaily: false, with: [] },
  { place: 'profiles', icon: 'profiles', isDaily: false, with: ['profile', 'new-profile'] },
  { place: 'sync', icon: 'sync', isDaily: false, with: [] },
  { place: 'events', icon: 'events', isDaily: false, with: [] },
  { place: 'admin', icon: 'admin', isDaily: false, with: [] },
];

/** Plants is there as soon as a gateway sends here; it takes the place of Andon and Stops where no machine is set up. */
export function places(): readonly PlaceLink[] {
  if (!showsFleet.value) return OWN_PLACES;
  const isDaily = hasOnlyGateways.value;
  const plants: PlaceLink = { place: 'plants', icon: 'plant', isDaily, with: isDaily ? ['andon'] : [] };
  return [plants, ...OWN_PLACES.slice(isDaily ? 2 : 0)];
}

/** The production of all gateways stands below Plants, and is the place Production where no machine is set up. */
function presentPlace(): Route['place'] {
  const { value } = route;
  const isProduction = value.place === 'plants' && value.production !== undefined && hasOnlyGateways.value;
  return isProduction ? 'production' : value.place;
}

/** Wide screens: every place at the side. */
export function Rail() {
  return (
    <nav class="rail" aria-label={words.value.places.places}>
      <Link to={{ place: 'andon' }} class="brand" label="plantgate">
        <Icon name="brand" />
      </Link>
      <Places places={places()} />
      <span class="gap" />
      <Me />
    </nav>
  );
}

/** Narrow screens: the places at the bottom, where thumbs are. */
export function Dock() {
  const place = presentPlace();
  const isDaily = places().some((one) => one.isDaily && (one.place === place || one.with.includes(place)));
  return (
    <nav class="dock" aria-label={words.value.places.places}>
      <Places places={places().filter(({ isDaily }) => isDaily)} />
      <Link to={{ place: 'more' }} class="place" current={!isDaily && place !== 'nowhere'}>
        <Icon name="more" />
        <span>{words.value.places.more}</span>
      </Link>
    </nav>
  );
}

function Places({ places: shown }: { readonly places: readonly PlaceLink[] }) {
  const present = presentPlace();
  return (
    <>
      {shown.map(({ place, icon, with: inside }) => (
        <Link key={place} to={{ place }} class="place" current={present === place || inside.includes(present)}>
          <Icon name={icon} />
          <span>{words.value.places[place]}</span>
          {place === 'plants' && <Count of={fleet.value.filter(({ troubles }) => troubles.length > 0).length} />}
          {place === 'andon' && <Count of={needing.value} />}
          {place === 'stops' && <Count of={stopsWaiting.value} />}
          {place === 'tasks' && <Count of={unattainableTasks.value.length} />}
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

export function Me() {
  const person = who.value;
  const { as, enter } = words.value.signIn;
  if (person === 'onlooker') {
    return (
      <Link to={{ place: 'more' }} class="place me">
        <Icon name="badge" />
        <span class="clip">{enter}</span>
      </Link>
    );
  }
  if (typeof person === 'string') return null;
  if (onlyShows(person)) {
    return (
      <button type="button" class="place me" onClick={askForPerson}>
        <Icon name="badge" />
        <span class="clip">{enter}</span>
      </button>
    );
  }
  if (panelOf(person) === null) {
    return (
      <Link to={{ place: 'more' }} class="place me" label={as(person.name)}>
        <Icon name="badge" />
        <span class="clip">{person.name}</span>
      </Link>
    );
  }
  return <ActingPerson name={person.name} />;
}

/** At a panel that many people share everybody sees in whose name it acts, and leaving is one touch. */
export function ActingPerson({ name }: { readonly name: string }) {
  const { as, out } = words.value.signIn;
  return (
    <div class="acting">
      <b>{name}</b>
      <button
        type="button"
        class="place me"
        aria-label={`${as(name)}. ${out}`}
        onClick={() => void signOut().then(isDone)}
      >
        <Icon name="badge" />
        <span class="clip">{out}</span>
      </button>
    </div>
  );
}
