import { signal } from '@preact/signals';
import { addressOf, withinPlant } from '../api/address.ts';
import { isAnythingUnsaved, leave } from './unsaved.ts';

/** The place of the page that is shown, and the record in it. */
export type Route =
  /** Its choice stands in the address. */
  | { readonly place: 'andon'; readonly query?: string }
  /** Andon for a wall. */
  | { readonly place: 'wall' }
  | { readonly place: 'machine'; readonly machineId: string }
  | { readonly place: 'part'; readonly machineId: string }
  /** Its choice stands in the address. */
  | { readonly place: 'variables'; readonly machineId: string; readonly query?: string }
  /** The stops of this machine come first. The choice stands in the address. */
  | { readonly place: 'stops'; readonly machineId?: string; readonly query?: string }
  /** Its choice stands in the address. */
  | { readonly place: 'production'; readonly query?: string }
  /** Its choice stands in the address. */
  | { readonly place: 'tasks'; readonly query?: string }
  | { readonly place: 'task'; readonly taskId: string }
  | { readonly place: 'coils' }
  | { readonly place: 'orders' }
  | { readonly place: 'profiles' }
  | { readonly place: 'profile'; readonly profileId: string }
  /** `copy`: it begins as a copy of this one. */
  | { readonly place: 'new-profile'; readonly copy?: string }
  /**
   * The gateways that send here, or one of them; `groups`: their groups, or one of these. `production`: what all of them
   * made (''), one, one machine `gateway/machine`, or the gateways of one plant `/plant`.
   */
  | {
      readonly place: 'plants';
      readonly gatewayId?: string;
      readonly groups?: string;
      readonly production?: string;
      readonly period?: string;
    }
  | { readonly place: 'sync' }
  | { readonly place: 'events' }
  /** `form`: the record that is changed there, '' for a new one. */
  | { readonly place: 'admin'; readonly tab?: string; readonly form?: string }
  /** Open ones without a view; `ruleId`: this rule is open to be changed. */
  | { readonly place: 'alerts'; readonly view?: 'rules' | 'who'; readonly ruleId?: string }
  /** A step of the first run. */
  | { readonly place: 'set-up' }
  | { readonly place: 'more' }
  | { readonly place: 'coil'; readonly coilId: string }
  /** The address names no place. */
  | { readonly place: 'nowhere' };

export const route = signal<Route>(routeOf(location.pathname, location.search));

/** The address of a place. Machines' labels and bookmarks use it, so it stays. */
export function pathOf(to: Route, plantId?: string): string {
  return addressOf(placePath(to), plantId);
}

function placePath(to: Route): string {
  switch (to.place) {
    case 'andon':
      return withQuery('/', to.query);
    case 'wall':
      return '/?tv';
    case 'machine':
      return `/machine/${encodeURIComponent(to.machineId)}`;
    case 'part':
      return `/machine/${encodeURIComponent(to.machineId)}/part`;
    case 'variables':
      return withQuery(`/machine/${encodeURIComponent(to.machineId)}/variables`, to.query);
    case 'stops':
      return withQuery('/stops', [queryOf({ machine: to.machineId }).slice(1), to.query].filter(Boolean).join('&'));
    case 'tasks':
      return withQuery('/tasks', to.query);
    case 'admin':
      return `/admin${queryOf({ tab: to.tab, form: to.form })}`;
    case 'new-profile':
      return `/new-profile${queryOf({ copy: to.copy })}`;
    case 'production':
      return withQuery('/production', to.query);
    case 'task':
      return `/task/${encodeURIComponent(to.taskId)}`;
    case 'profile':
      return `/profile/${encodeURIComponent(to.profileId)}`;
    case 'alerts':
      return ['/alerts', to.view, to.ruleId === undefined ? undefined : encodeURIComponent(to.ruleId)]
        .filter(Boolean)
        .join('/');
    case 'plants':
      return to.gatewayId === undefined
        ? `/plants${queryOf({ groups: to.groups, production: to.production, period: to.period })}`
        : `/plants/${encodeURIComponent(to.gatewayId)}`;
    case 'coil':
      return `/coil/${encodeURIComponent(to.coilId)}`;
    default:
      return `/${to.place}`;
  }
}

function withQuery(path: string, query = ''): string {
  return query === '' ? path : `${path}?${query}`;
}

export function go(to: Route): void {
  history.pushState(null, '', pathOf(to));
  route.value = to;
  scrollTo(0, 0);
}

/** `?tab=parts&form=P-100`, of the values that are there. */
function queryOf(values: Readonly<Record<string, string | undefined>>): string {
  const given = Object.entries(values).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]]));
  return given.length === 0 ? '' : `?${new URLSearchParams(given)}`;
}

/** Shows more or less of the present place, in the present entry of the history. */
export function amend(to: Route): void {
  history.replaceState(null, '', pathOf(to));
  route.value = to;
}

/** Goes to a place that a person chose, and asks before something unsaved is lost. */
export function choose(to: Route): void {
  if (pathOf(to) === pathOf(route.value)) go(to);
  else leave(() => go(to));
}

/** Gives a function for the time after an answer: it goes to a place, unless the person has gone elsewhere meanwhile. */
export function goUnlessElsewhere(): (to: Route) => void {
  const here = route.value;
  return (to) => {
    if (route.value === here) go(to);
  };
}

/** Back closes an open sheet, as Escape does, and asks before something unsaved is lost. Until then the place stays. */
export function followHistory(): void {
  addEventListener('popstate', () => {
    const to = routeOf(location.pathname, location.search);
    const sheet = [...document.querySelectorAll<HTMLDialogElement>('dialog[open]')].at(-1);
    if (sheet === undefined && !isAnythingUnsaved()) {
      route.value = to;
      return;
    }
    history.pushState(null, '', pathOf(route.value));
    if (sheet === undefined) choose(to);
    else sheet.close();
  });
}

function routeOf(pathname: string, search: string): Route {
  const [place = '', text = '', inside = '', ...more] = withinPlant(pathname).split('/').slice(1);
  if (more.length > 0 || (inside !== '' && place !== 'machine' && place !== 'alerts')) return { place: 'nowhere' };
  if (text !== '') return recordOf(place, text, inside, search);
  switch (place) {
    case '':
      return search === '?tv' ? { place: 'wall' } : { place: 'andon', query: search.slice(1) };
    case 'stops': {
      const given = new URLSearchParams(search);
      const machineId = given.get('machine');
      given.delete('machine');
      return { place, ...(machineId !== null && { machineId }), query: `${given}` };
    }
    case 'admin': {
      const given = new URLSearchParams(search);
      const [tab, form] = [given.get('tab'), given.get('form')];
      return { place, ...(tab !== null && { tab }), ...(form !== null && { form }) };
    }
    case 'plants': {
      const given = new URLSearchParams(search);
      const asked = ['groups', 'production', 'period'].flatMap((name) => {
        const value = given.get(name);
        return value === null ? [] : [[name, value]];
      });
      return { place, ...Object.fromEntries(asked) };
    }
    case 'new-profile': {
      const copy = new URLSearchParams(search).get('copy');
      return copy === null ? { place } : { place, copy };
    }
    case 'production':
    case 'tasks':
      return { place, query: search.slice(1) };
    case 'coils':
    case 'orders':
    case 'profiles':
    case 'sync':
    case 'events':
    case 'alerts':
    case 'set-up':
    case 'more':
      return { place };
    default:
      return { place: 'nowhere' };
  }
}

/** The place of a record, `/coil/C-1`. */
function recordOf(place: string, text: string, inside: string, search: string): Route {
  const id = decoded(text);
  if (id === null) return { place: 'nowhere' };
  switch (place) {
    case 'machine':
      if (inside === 'variables') return { place: inside, machineId: id, query: search.slice(1) };
      if (inside !== '' && inside !== 'part') return { place: 'nowhere' };
      return { place: inside === 'part' ? 'part' : 'machine', machineId: id };
    case 'alerts':
      return alertsOf(id, inside);
    case 'task':
      return { place, taskId: id };
    case 'plants':
      return { place, gatewayId: id };
    case 'coil':
      return { place, coilId: id };
    case 'profile':
      return { place, profileId: id };
    default:
      return { place: 'nowhere' };
  }
}

/** `/alerts/rules/held`, `/alerts/who`. */
function alertsOf(view: string, inside: string): Route {
  const ruleId = decoded(inside);
  if (view === 'rules' && ruleId !== null) return { place: 'alerts', view, ...(ruleId !== '' && { ruleId }) };
  return view === 'who' && inside === '' ? { place: 'alerts', view } : { place: 'nowhere' };
}

/** The decoded id of an address; null if a `%` in it encodes no character. */
function decoded(text: string): string | null {
  try {
    return decodeURIComponent(text);
  } catch {
    return null;
  }
}
