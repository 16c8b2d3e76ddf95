import { useSignal } from '@preact/signals';
import type { Recipient } from '../../../domain/alert/recipient.ts';
import type { ChannelStateView } from '../../../flows/alert/alert-views.ts';
import { Icon } from '../../show/icon.tsx';
import { words } from '../../words/words.ts';
import { minuteText, RecipientForm } from './recipient-form.tsx';

interface RecipientsProps {
  readonly recipients: readonly Recipient[];
  readonly channels: readonly ChannelStateView[];
  readonly onChanged: () => void;
}

/** The people and groups who are told, by which ways and when. */
export function Recipients({ recipients, channels, onChanged }: RecipientsProps) {
  const shown = useSignal<Recipient | 'new' | null>(null);
  const { alerts: texts } = words.value;
  const close = () => {
    shown.value = null;
  };
  return (
    <section class="pane flush" aria-label={texts.people}>
      <div class="head">
        <h2 class="h3 grow">{recipients.length === 0 ? texts.noPeople : texts.people}</h2>
        <button type="button" class="btn" onClick={() => (shown.value = 'new')}>
          <Icon name="plus" />
          {texts.addPerson}
        </button>
      </div>
      {recipients.length > 0 && (
        <RecipientTable recipients={recipients} channels={channels} onChange={(one) => (shown.value = one)} />
      )}
      {shown.value !== null && (
        <RecipientForm
          recipient={shown.value === 'new' ? null : shown.value}
          channels={channels}
          onClose={close}
          onDone={() => {
            close();
            onChanged();
          }}
        />
      )}
    </section>
  );
}

interface RecipientTableProps extends Omit<RecipientsProps, 'onChanged'> {
  readonly onChange: (recipient: Recipient) => void;
}

function RecipientTable({ recipients, channels, onChange }: RecipientTableProps) {
  const { alerts: texts } = words.value;
  const names = new Map(channels.map(({ channelId, name }) => [channelId, name]));
  return (
    <table class="table cards-s">
      <thead>
        <tr>
          <th>{texts.name}</th>
          <th>{texts.by}</th>
          <th>{texts.toldWhen}</th>
          <th>{texts.quietHours}</th>
        </tr>
      </thead>
      <tbody>
        {recipients.map((recipient) => (
          <tr key={recipient.recipientId}>
            <td>
              <button type="button" class="btn btn-plain" onClick={() => onChange(recipient)}>
                {recipient.name}
                <span class="sr"> {texts.change}</span>
              </button>{' '}
              <span class="dim">{recipient.role === null ? '' : texts.roles[recipient.role]}</span>
            </td>
            <td data-k={texts.by}>
              {recipient.ways.flatMap(({ channelId }) => names.get(channelId) ?? []).join(', ')}
            </td>
            <td data-k={texts.toldWhen}>{whenText(recipient)}</td>
            <td data-k={texts.quietHours}>{quietText(recipient)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function whenText({ shifts, areas }: Recipient): string {
  const { alerts: texts } = words.value;
  const when = shifts.length === 0 ? texts.always : texts.inShifts(shifts.join(', '));
  return [when, ...areas].join(', ');
}

function quietText({ quiet }: Recipient): string {
  const { alerts: texts } = words.value;
  if (quiet === null) return texts.noQuiet;
  return texts.quiet(minuteText(quiet.fromMinute), minuteText(quiet.toMinute), quiet.redComes);
}
