import type { Signal } from '@preact/signals';
import { call, type Outcome } from '../api/call.ts';
import { loadOrder } from './load-order.ts';
import { repeatUntilAnswered } from './repeat-until-answered.ts';

/** Makes the load of a list of the plant. */
export function listLoad<T>(
  path: string,
  list: Signal<readonly T[] | null> | Signal<readonly T[]>,
): () => Promise<Outcome<readonly T[]>> {
  const loads = loadOrder();
  return repeatUntilAnswered(async () => {
    const isShown = loads.begin();
    const outcome = await call<readonly T[]>('GET', path);
    if (outcome.kind === 'done' && isShown()) list.value = outcome.value;
    return outcome;
  });
}
