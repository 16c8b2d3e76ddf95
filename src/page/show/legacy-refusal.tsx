import type { Outcome } from '../api/call.ts';
import { type Fault, faultOf } from '../app/tell-outcome.ts';
import { words } from '../words/words.ts';
import { now } from './clock.ts';
import { timeToTheSecond } from './format.ts';
import { Icon } from './icon.tsx';

/** The interface's own word (TASK-09). Sentences behind it say that an earlier write has to be settled first (D-16, D-17). */
const LEGACY_AWAY = 'AgentNotAvailable';

/** The fault of a write to the legacy system, shown where it was tried, until it is tried again. Null: it was done. */
export function legacyFault(outcome: Outcome<unknown>): Fault | null {
  if (outcome.kind === 'done') return null;
  const { legacy } = words.value;
  const tried = legacy.tried(timeToTheSecond(now.value));
  const { text, more } = faultOf(outcome);
  if (outcome.kind === 'noAnswer') return { text, more: `${more} ${tried}` };
  const [first, ...others] = outcome.errors;
  if (outcome.changed !== null || first !== LEGACY_AWAY) return { text, more };
  if (outcome.isUnknown) return { text: legacy.unknown, more: tried };
  return others.length === 0
    ? { text: legacy.offline, more: tried }
    : { text: legacy.notYet, more: `${others.join(' ')} ${tried}` };
}

export function LegacyRefusal({ fault }: { readonly fault: Fault }) {
  return (
    <section class="banner banner-warn banner-round" role="alert">
      <Icon name="warn" />
      <div class="grow">
        <b>{fault.text}</b>
        {fault.more}
      </div>
    </section>
  );
}
