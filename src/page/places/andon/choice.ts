import { computed } from '@preact/signals';
import { amend, type Route, route } from '../../app/route.ts';
import type { StationChoice } from '../../plant/station-choice.ts';

/** The machines that Andon shows. The choice stands in the address. */
export const andonChoice = computed<StationChoice>(() => {
  const asked = new URLSearchParams(andonQuery(route.value));
  return { area: asked.get('area'), find: asked.get('find') ?? '' };
});

let last = '';
route.subscribe((shown) => {
  if (shown.place === 'andon') last = andonQuery(shown);
});

/** Andon as a person left it. */
export function lastAndon(): Route {
  return { place: 'andon', query: last };
}

function andonQuery(shown: Route): string {
  return shown.place === 'andon' ? (shown.query ?? '') : '';
}

export function andonRoute({ area, find }: StationChoice): Route {
  const asked = new URLSearchParams({ ...(area !== null && { area }), ...(find !== '' && { find }) });
  return { place: 'andon', query: asked.toString() };
}

export function chooseAndon(choice: StationChoice): void {
  amend(andonRoute(choice));
}
