import { useSignal } from '@preact/signals';
import type { Recipient } from '../../../domain/alert/recipient.ts';
import type { RuleView } from '../../../flows/alert/alert-views.ts';
import { call } from '../../api/call.ts';
import { Frame } from '../../app/frame.tsx';
import { go } from '../../app/route.ts';
import { isDone } from '../../app/tell-outcome.ts';
import { useResource } from '../../app/use-resource.ts';
import { isForAllPlants } from '../../people/who.ts';
import { Icon } from '../../show/icon.tsx';
import { Link } from '../../show/link.tsx';
import { words } from '../../words/words.ts';
import { KIND_ICONS } from './kind-icons.ts';
import { changeOf, RuleForm } from './rule-form.tsx';
import { limitText } from './rule-text.ts';
import { Views } from './views.tsx';

interface Loaded {
  readonly rules: readonly RuleView[];
  readonly recipients: readonly Recipient[];
}

/** When is somebody told? One tap switches a rule on or off. */
export function Rules({ ruleId }: { readonly ruleId: string | null }) {
  const version = useSignal(0);
  const loaded = useResource<Loaded>(`rules ${version.value}`, askRules, { again: 'alert' });
  const isAdding = useSignal(false);
  const { alerts: texts } = words.value;
  const reload = () => {
    version.value += 1;
  };
  if (loaded.value === null) {
    return (
      <Frame answer={texts.rules}>
        <Views view="rules" />
      </Frame>
    );
  }
  const { rules, recipients } = loaded.value;
  const mayChange = isForAllPlants();
  const on = rules.filter(({ isOn }) => isOn).length;
  const raised = rules.reduce((sum, rule) => sum + rule.raised, 0);
  const changed = rules.find((rule) => mayChange && rule.ruleId === ruleId) ?? null;
  const close = () => {
    isAdding.value = false;
    if (ruleId !== null) go({ place: 'alerts', view: 'rules' });
  };
  return (
    <Frame
      answer={texts.rulesOn(on, rules.length)}
      more={recipients.length === 0 && mayChange ? texts.noRecipients : texts.raisedMore(raised)}
    >
      <Views view="rules" />
      <section class="pane flush" aria-label={texts.rulesCount(rules.length)}>
        <div class="head">
          <h2 class="h3 grow">{texts.rulesCount(rules.length)}</h2>
          {mayChange && (
            <button type="button" class="btn" onClick={() => (isAdding.value = true)}>
              <Icon name="plus" />
              {texts.addRule}
            </button>
          )}
        </div>
        <RuleTable rules={rules} recipients={recipients} onSwitched={reload} />
      </section>
      {(changed !== null || isAdding.value) && (
        <RuleForm
          rule={changed}
          recipients={recipients}
          onClose={close}
          onDone={() => {
            close();
            reload();
          }}
        />
      )}
    </Frame>
  );
}

async function askRules() {
  const [rules, recipients] = await Promise.all([
    call<readonly RuleView[]>('GET', '/alerts/rules'),
    call<readonly Recipient[]>('GET', '/alerts/recipients'),
  ]);
  if (rules.kind !== 'done') return rules;
  if (recipients.kind !== 'done') return recipients;
  return { kind: 'done', value: { rules: rules.value, recipients: recipients.value } } as const;
}

interface RuleTableProps extends Loaded {
  readonly onSwitched: () => void;
}

function RuleTable({ rules, recipients, onSwitched }: RuleTableProps) {
  const { alerts: texts } = words.value;
  return (
    <table class="table cards-s">
      <thead>
        <tr>
          <th>{texts.ruleHead}</th>
          <th>{texts.when}</th>
          <th>{texts.whoAfter}</th>
          <th>{texts.raised}</th>
          <th>{texts.on}</th>
        </tr>
      </thead>
      <tbody>
        {rules.map((rule) => (
          <tr key={rule.ruleId}>
            <td>
              <Icon name={KIND_ICONS[rule.kind]} />{' '}
              {isForAllPlants() ? (
                <Link
                  to={{ place: 'alerts', view: 'rules', ruleId: rule.ruleId }}
                  label={texts.changeRule(nameOf(rule))}
                >
                  {nameOf(rule)}
                </Link>
              ) : (
                nameOf(rule)
              )}
            </td>
            <td data-k={texts.when}>{limitText(rule)}</td>
            <td data-k={texts.whoAfter}>{stepsText(rule, recipients)}</td>
            <td data-k={texts.raised}>{rule.isOn || rule.raised > 0 ? rule.raised : texts.off}</td>
            <td>
              <button
                type="button"
                class="switch"
                role="switch"
                aria-checked={rule.isOn}
                aria-label={nameOf(rule)}
                disabled={!isForAllPlants()}
                onClick={() => void switchRule(rule, onSwitched)}
              >
                <i />
              </button>
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** The kind, and the variable where it is about one. */
function nameOf({ kind, variable, machineIds }: RuleView): string {
  const { kinds } = words.value.alerts;
  return variable === null ? kinds[kind] : `${variable.name}, ${machineIds.join(', ')}`;
}

function stepsText({ steps }: RuleView, recipients: readonly Recipient[]): string {
  const { alerts: texts } = words.value;
  return steps.map(({ to, afterMinutes }) => texts.step(namesOf(to, recipients), afterMinutes)).join(' → ');
}

function namesOf(to: readonly string[], recipients: readonly Recipient[]): string {
  const { roles } = words.value.alerts;
  const named = to.map((id) => {
    const role = Object.entries(roles).find(([name]) => id === `role:${name}`)?.[1];
    return role ?? recipients.find(({ recipientId }) => recipientId === id)?.name ?? id;
  });
  return named.join(', ');
}

async function switchRule(rule: RuleView, onSwitched: () => void): Promise<void> {
  const path = `/alerts/rules/${encodeURIComponent(rule.ruleId)}`;
  if (isDone(await call('PUT', path, { ...changeOf(rule), isOn: !rule.isOn }))) onSwitched();
}
