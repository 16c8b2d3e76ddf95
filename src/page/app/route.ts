import { signal } from '@preact/signals';

/** Where in the page one is: one of its places, and what it shows there. */
export type Route =
  | { readonly place: 'andon' }
  | { readonly place: 'machine'; readonly machineId: string }
  | { readonly place: 'part'; readonly machineId: string }
  | { readonly place: 'stops' };

export const route = signal<Route>(routeOf(location.pathname));

/** The address of a place. Machines' labels and bookmarks use it, so it stays. */
export function pathOf(to: Route): string {
  switch (to.place) {
    case 'andon':
      return '/';
    case 'stops':
      return '/stops';
    case 'machine':
      return `/machine/${encodeURIComponent(to.machineId)}`;
    case 'part':
      return `/machine/${encodeURIComponent(to.machineId)}/part`;
  }
}

export function go(to: Route): void {
  history.pushState(null, '', pathOf(to));
  route.value = to;
  scrollTo(0, 0);
}

export function followHistory(): void {
  addEventListener('popstate', () => {
    route.value = routeOf(location.pathname);
  });
}

function routeOf(pathname: string): Route {
  const [place, id = '', inside] = pathname.split('/').slice(1);
  if (place === 'stops') return { place: 'stops' };
  if (place !== 'machine' || id === '') return { place: 'andon' };
  const machineId = decodeURIComponent(id);
  return inside === 'part' ? { place: 'part', machineId } : { place: 'machine', machineId };
}
