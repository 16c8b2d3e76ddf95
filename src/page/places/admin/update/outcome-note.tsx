import type { UpdateOutcome } from '../../../../domain/update/update-outcome.ts';
import { timeOrDate } from '../../../show/format.ts';
import { Icon } from '../../../show/icon.tsx';
import { words } from '../../../words/words.ts';

/** The outcome of the last update that was requested at the page. */
export function OutcomeNote({ outcome }: { readonly outcome: UpdateOutcome }) {
  const { result, from, to, reason, at } = outcome;
  const { update: said } = words.value.admin;
  const sentence = said.outcome[result](timeOrDate(at), from, to ?? said.unknownVersion);
  if (result === 'installed' || result === 'underWay') return <p class="dim">{sentence}</p>;
  return (
    <div class="knock" role="status">
      <Icon name="warn-line" />
      <div>
        <b class="h3">{sentence}</b>
        <br />
        <span>{reason}</span>
      </div>
    </div>
  );
}
