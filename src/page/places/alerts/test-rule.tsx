import { useSignal } from '@preact/signals';
import type { RuleView } from '../../../flows/alert/alert-views.ts';
import type { RuleTest } from '../../../flows/alert/channels-flow.ts';
import { call } from '../../api/call.ts';
import { isDone } from '../../app/tell-outcome.ts';
import { Icon } from '../../show/icon.tsx';
import { language, words } from '../../words/words.ts';
import { TEST_TIMEOUT_MS, testText } from './test-channel.tsx';

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
