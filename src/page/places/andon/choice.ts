import { computed } from '@preact/signals';
import { amend, type Route, route } from '../../app/route.ts';
import { choiceOf, queryOf, type StationChoice } from '../../plant/station-choice.ts';

/** The machines that Andon shows. The choice stands in the address. */
export const andonChoice = computed<StationChoice>(() => choiceOf(andonQuery(route.value)));

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

export function andonRoute(choice: StationChoice): Route {
  return { place: 'andon', query: queryOf(choice) };
}

export function chooseAndon(choice: StationChoice): void {
  amend(andonRoute(choice));
}
