import { useSignal } from '@preact/signals';
import type { Recipient } from '../../../domain/alert/recipient.ts';
import type { ChannelStateView, RuleView } from '../../../flows/alert/alert-views.ts';
import type { ChannelTest, RuleTest } from '../../../flows/alert/channels-flow.ts';
import { call } from '../../api/call.ts';
import { Sheet } from '../../app/sheet.tsx';
import { isDone } from '../../app/tell-outcome.ts';
import { RefusalNote } from '../../form/field-fault.tsx';
import { refusalOf, useRefusal } from '../../form/refusal.ts';
import { Icon } from '../../show/icon.tsx';
import { language, words } from '../../words/words.ts';

/** A mail server may take its time. */
const TEST_TIMEOUT_MS = 30_000;

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
function testText({ outcome, detail, tookMs }: ChannelTest): string {
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

/** Sends a test to everybody whom the rule tells, as it is stored, and shows the answers of their channels. */
export function TestRule({ rule: { ruleId } }: { readonly rule: RuleView }) {
  const { alerts: texts } = words.value;
  const answers = useSignal<readonly RuleTest[] | null>(null);
  const isBusy = useSignal(false);
  const send = async () => {
    isBusy.value = true;
    const path = `/alerts/rules/${encodeURIComponent(ruleId)}/test`;
    const outcome = await call<readonly RuleTest[]>('POST', path, { language: language.value }, TEST_TIMEOUT_MS);
    isBusy.value = false;
    if (isDone(outcome)) answers.value = outcome.value;
  };
  return (
    <>
      <button type="button" class="btn btn-wide" disabled={isBusy.value} onClick={() => void send()}>
        <Icon name="send" />
        {texts.sendTest}
      </button>
      {answers.value !== null && (
        <div role="status">
          {answers.value.length === 0 && <p>{texts.nobodyTold}</p>}
          {answers.value.map((test) => (
            <p key={`${test.name} ${test.by}`}>
              <b>{`${test.name}, ${test.by}`}</b> {testText(test)}
            </p>
          ))}
        </div>
      )}
    </>
  );
}
