import { batch, type Signal } from '@preact/signals';
import { call, mayAnswerLater, type Outcome } from '../api/call.ts';

/** Records of the gateway that the page shows. */
interface Resource<T, Change> {
  /** Asks the gateway, and shows the answer. */
  readonly load: () => Promise<Outcome<T>>;
  /** Shows a changed record, now and again after each answer that is on its way. */
  readonly note: (change: Change) => void;
  /** Shows the records that an act gives, without waiting for their events. Newer events are shown over them. */
  readonly noteAct: (act: Promise<Outcome<readonly Change[]>>) => Promise<Outcome<readonly Change[]>>;
}

interface ResourceOptions<T, Change> {
  readonly ask: () => Promise<Outcome<T>>;
  readonly show: (value: T) => void;
  /** Shows a changed record over what is shown. */
  readonly change?: (change: Change) => void;
  /** Whether a load that got no answer is repeated; by default it is. */
  readonly isRepeated?: boolean;
}

const AGAIN_AFTER_MS = 2_000;

/**
 * The one way in which the page loads. An answer is not shown once the answer to a later load was. Changes that came
 * while an answer was on its way are shown after it, because it may be older than they are. A load without an answer is
 * repeated; a hidden tab does not repeat it, because all is loaded again once it is seen.
 */
export function resource<T, Change = never>(options: ResourceOptions<T, Change>): Resource<T, Change> {
  const { ask, show, change = () => undefined, isRepeated = true } = options;
  let begun = 0;
  let shown = 0;
  let awaited = 0;
  let changes: Change[] = [];
  let again: ReturnType<typeof setTimeout> | undefined;

  async function take<Value>(answer: Promise<Outcome<Value>>, showValue: (value: Value) => boolean) {
    const before = changes.length;
    awaited++;
    const outcome = await answer;
    awaited--;
    // At once: thousands of machines may have spoken meanwhile.
    batch(() => {
      if (outcome.kind === 'done' && showValue(outcome.value)) changes.slice(before).forEach(change);
    });
    if (awaited === 0) changes = [];
    return outcome;
  }

  async function load(): Promise<Outcome<T>> {
    clearTimeout(again);
    const number = ++begun;
    const outcome = await take(ask(), (value) => {
      if (number < shown) return false;
      shown = number;
      show(value);
      return true;
    });
    clearTimeout(again);
    if (isRepeated && mayAnswerLater(outcome))
      again = setTimeout(() => !document.hidden && void load(), AGAIN_AFTER_MS);
    return outcome;
  }

  return {
    load,
    note: (changed) => {
      if (awaited > 0) changes.push(changed);
      change(changed);
    },
    noteAct: (act) =>
      take(act, (records) => {
        records.forEach(change);
        return true;
      }),
  };
}

/** A list of the local API, shown by a signal. */
export function listOf<T>(path: string, list: Signal<readonly T[] | null> | Signal<readonly T[]>) {
  return resource<readonly T[]>({
    ask: () => call('GET', path),
    show: (value) => {
      list.value = value;
    },
  });
}
