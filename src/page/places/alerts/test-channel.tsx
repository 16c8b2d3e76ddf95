import { useSignal } from '@preact/signals';
import type { Recipient } from '../../../domain/alert/recipient.ts';
import type { ChannelStateView } from '../../../flows/alert/alert-views.ts';
import type { ChannelTest } from '../../../flows/alert/channels-flow.ts';
import { call } from '../../api/call.ts';
import { Sheet } from '../../app/sheet.tsx';
import { isDone } from '../../app/tell-outcome.ts';
import { RefusalNote } from '../../form/field-fault.tsx';
import { refusalOf, useRefusal } from '../../form/refusal.ts';
import { Icon } from '../../show/icon.tsx';
import { language, words } from '../../words/words.ts';

/** A mail server may take its time. */
export const TEST_TIMEOUT_MS = 30_000;

interface TestChannelProps {
  readonly channel: ChannelStateView;
  readonly recipients: readonly Recipient[];
  readonly onClose: () => void;
  readonly onTested: () => void;
}

/** Sends a test to an address, and shows the answer of the channel in words. */
export function TestChannel({ channel, recipients, onClose, onTested }: TestChannelProps) {
  const { alerts: texts } = words.value;
  const isBusy = useSignal(false);
  const answer = useSignal<ChannelTest | null>(null);
  const address = useSignal(addressIn(channel, recipients));
  const refusal = useRefusal<HTMLFormElement>();
  const send = async () => {
    isBusy.value = true;
    answer.value = null;
    const body = { address: address.value === '' ? null : address.value, language: language.value };
    const path = `/alerts/channels/${encodeURIComponent(channel.channelId)}/test`;
    const outcome = await call<ChannelTest>('POST', path, body, TEST_TIMEOUT_MS);
    isBusy.value = false;
    const refused = refusalOf(outcome, []);
    refusal.tell(refused);
    if (refused !== null || !isDone(outcome)) return;
    answer.value = outcome.value;
    onTested();
  };
  return (
    <Sheet title={texts.testOf(channel.name)} onClose={onClose} isHeldOpen={isBusy.value}>
      <form
        class="stack"
        ref={refusal.form}
        onSubmit={(event) => {
          event.preventDefault();
          void send();
        }}
      >
        {hasAddresses(channel) && (
          <div class="field">
            <label for="test-address">{texts.address}</label>
            <input
              id="test-address"
              type="text"
              autocomplete="off"
              autocapitalize="none"
              value={address.value}
              onInput={({ currentTarget }) => (address.value = currentTarget.value.trim())}
            />
          </div>
        )}
        <RefusalNote refusal={refusal.shown} />
        {answer.value !== null && (
          <p class="bold" role="status">
            {testText(answer.value)}
          </p>
        )}
        <button type="submit" class="btn btn-main btn-wide" disabled={isBusy.value}>
          <Icon name="send" />
          {texts.sendTest}
        </button>
      </form>
    </Sheet>
  );
}

/** The answer of a channel in words. */
export function testText({ outcome, detail, tookMs }: ChannelTest): string {
  const { alerts: texts } = words.value;
  return outcome === 'sent' ? texts.sent(tookMs) : texts[outcome](detail ?? '');
}

/** Mail and ntfy have an address for each recipient. */
export function hasAddresses(channel: ChannelStateView): boolean {
  return channel.kind === 'mail' || (channel.kind === 'webhook' && channel.shape === 'ntfy');
}

function addressIn({ channelId }: ChannelStateView, recipients: readonly Recipient[]): string {
  const ways = recipients.flatMap((recipient) => recipient.ways);
  return ways.find((way) => way.channelId === channelId)?.address ?? '';
}
