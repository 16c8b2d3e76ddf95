import type { Outcome } from '../api/call.ts';
import { changedText, refusalText } from '../app/tell-outcome.ts';
import { words } from '../words/words.ts';
import { now } from './clock.ts';
import { timeToTheSecond } from './format.ts';
import { Icon } from './icon.tsx';

/** The fault of a write to the legacy system, shown where it was tried, until it is tried again. */
export interface LegacyFault {
  readonly text: string;
  readonly more: string;
}

/** The interface's own word (TASK-09). Sentences behind it say that an earlier write has to be settled first (D-16, D-17). */
const LEGACY_AWAY = 'AgentNotAvailable';

/** Null: it was done. */
export function legacyFault(outcome: Outcome<unknown>): LegacyFault | null {
  if (outcome.kind === 'done') return null;
  const { legacy, trouble } = words.value;
  const tried = legacy.tried(timeToTheSecond(now.value));
  if (outcome.kind === 'noAnswer') return { text: trouble.noAnswer, more: `${trouble.noAnswerHint} ${tried}` };
  if (outcome.changed !== null) return { text: changedText(outcome.changed), more: trouble.changedHint };
  const [first, ...others] = outcome.errors;
  if (first !== LEGACY_AWAY) return { text: refusalText(outcome.status), more: outcome.errors.join(' ') };
  return others.length === 0
    ? { text: legacy.offline, more: tried }
    : { text: legacy.notYet, more: `${others.join(' ')} ${tried}` };
}

export function LegacyRefusal({ fault }: { readonly fault: LegacyFault }) {
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
