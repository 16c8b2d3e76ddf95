import type { Outcome } from '../api/call.ts';
import { changedText } from '../app/tell-outcome.ts';
import { words } from '../words/words.ts';
import { now } from './clock.ts';
import { timeToTheSecond } from './format.ts';
import { Icon } from './icon.tsx';

/** The fault of a write to the legacy system, shown where it was tried, until it is tried again. */
export interface LegacyFault {
  readonly text: string;
  readonly more: string;
}

/** Null: it was done. */
export function legacyFault(outcome: Outcome<unknown>): LegacyFault | null {
  if (outcome.kind === 'done') return null;
  const { legacy, trouble } = words.value;
  const tried = legacy.tried(timeToTheSecond(now.value));
  if (outcome.kind === 'noAnswer') return { text: trouble.noAnswer, more: tried };
  if (outcome.status === 503) return { text: legacy.offline, more: `${tried} ${outcome.errors.join(' ')}` };
  if (outcome.changed !== null) return { text: changedText(outcome.changed), more: '' };
  return { text: trouble.refused, more: outcome.errors.join(' ') };
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
