import { useSignal } from '@preact/signals';
import type { MqttAccount } from '../../../domain/plant/plant.ts';
import { Icon } from '../../show/icon.tsx';
import { ScrollSection } from '../../show/scroll-section.tsx';
import { words } from '../../words/words.ts';
import { type FormField, RecordForm } from './record-form.tsx';
import { Act } from './records-tab.tsx';
import { RemoveButton } from './remove-button.tsx';
import { useRecords } from './use-records.ts';

type Account = Omit<MqttAccount, 'passwordHash'>;

/** Accounts for clients of MQTT that are no machines (D-66). */
export function Accounts() {
  const { records, reload } = useRecords<Account>('mqttAccounts');
  const isAdding = useSignal(false);
  const changed = useSignal<Account | null>(null);
  const { admin, accounts: texts } = words.value;
  if (records === null) return null;
  const close = () => {
    isAdding.value = false;
    changed.value = null;
  };
  const done = () => {
    close();
    reload();
  };
  return (
    <>
      <p class="dim">{texts.hint}</p>
      <button type="button" class="btn btn-main btn-start" onClick={() => (isAdding.value = true)}>
        <Icon name="plus" />
        {texts.add}
      </button>
      {records.length > 0 && <AccountTable accounts={records} onChange={(account) => (changed.value = account)} />}
      {isAdding.value && (
        <RecordForm
          title={texts.add}
          path="/plant/mqttAccounts"
          submit={texts.add}
          onClose={close}
          onDone={done}
          fields={[{ name: 'name', label: texts.userName }, ...fieldsOf(null, admin.password)]}
        />
      )}
      {changed.value !== null && (
        <RecordForm
          title={admin.changeOf(changed.value.name)}
          path={`/plant/mqttAccounts/${encodeURIComponent(changed.value.name)}`}
          method="PUT"
          submit={admin.save}
          fixed={{ name: changed.value.name }}
          onClose={close}
          onDone={done}
          fields={fieldsOf(changed.value, words.value.people.newPassword)}
        >
          <p class="dim">{texts.changeMeans}</p>
        </RecordForm>
      )}
    </>
  );
}

function fieldsOf(account: Account | null, password: string): readonly FormField[] {
  const { admin, accounts: texts } = words.value;
  const lines = (values: readonly string[] = []) => ({ type: 'lines', value: values.join('\n') }) as const;
  return [
    { name: 'password', label: password, type: 'password', ...(account === null && { hint: texts.passwordHint }) },
    {
      name: 'clientId',
      label: admin.optional(texts.clientId),
      value: account?.clientId ?? '',
      hint: texts.clientIdHint,
    },
    { name: 'read', label: admin.optional(texts.read), hint: texts.filterHint, ...lines(account?.read) },
    { name: 'write', label: admin.optional(texts.write), hint: texts.filterHint, ...lines(account?.write) },
    { name: 'machines', label: admin.optional(texts.machines), hint: texts.machinesHint, ...lines(account?.machines) },
  ];
}

interface AccountTableProps {
  readonly accounts: readonly Account[];
  readonly onChange: (account: Account) => void;
}

function AccountTable({ accounts, onChange }: AccountTableProps) {
  const { admin, accounts: texts, people } = words.value;
  return (
    <ScrollSection label={admin.tabs.accounts} class="pane flush">
      <table class="table">
        <thead>
          <tr>
            <th>{texts.userName}</th>
            <th>{texts.read}</th>
            <th>{texts.write}</th>
            <th>{texts.machines}</th>
            <td />
          </tr>
        </thead>
        <tbody>
          {accounts.map((account) => (
            <tr key={account.name}>
              <td>
                <b>{account.name}</b>
                <br />
                <span class="dim small">{account.clientId}</span>
              </td>
              <td>{account.read.join(', ')}</td>
              <td>{account.write.join(', ')}</td>
              <td>{account.machines.join(', ')}</td>
              <td class="right">
                <Act label={people.change} of={account.name} onPress={() => onChange(account)} />
                <RemoveButton
                  kind="mqttAccounts"
                  id={account.name}
                  name={account.name}
                  label={admin.remove}
                  class="btn btn-plain"
                />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </ScrollSection>
  );
}
