import type { Signal } from '@preact/signals';
import { call, type Outcome } from '../api/call.ts';
import { repeatUntilAnswered } from './repeat-until-answered.ts';

/** Makes the load of a list of the plant. The answer to an earlier load is not shown if it comes later. */
export function listLoad<T>(
  path: string,
  list: Signal<readonly T[] | null> | Signal<readonly T[]>,
): () => Promise<Outcome<readonly T[]>> {
  let lastLoad = 0;
  let shownLoad = 0;
  return repeatUntilAnswered(async () => {
    const load = ++lastLoad;
    const outcome = await call<readonly T[]>('GET', path);
    if (outcome.kind !== 'done' || load < shownLoad) return outcome;
    shownLoad = load;
    list.value = outcome.value;
    return outcome;
  });
}
