import { useSignal } from '@preact/signals';
import { ROLES, type User } from '../../../domain/plant/plant.ts';
import { Icon } from '../../show/icon.tsx';
import { words } from '../../words/words.ts';
import { RecordForm } from './record-form.tsx';
import { removeRecord, useRecords } from './use-records.ts';

type Person = Pick<User, 'name' | 'role'>;

/** The roles that the page is for; the others are those of programs. */
const PAGE_ROLES = ROLES.filter((role) => role !== 'gateway' && role !== 'business');

/** Who may sign in at the page. */
export function People() {
  const { records, reload } = useRecords<Person>('users');
  const isAdding = useSignal(false);
  const { admin: said } = words.value;
  const close = () => {
    isAdding.value = false;
  };
  if (records === null) return null;
  return (
    <>
      <button type="button" class="btn btn-main btn-start" onClick={() => (isAdding.value = true)}>
        <Icon name="plus" />
        {said.addPerson}
      </button>
      <section class="pane flush" aria-label={said.tabs.people}>
        <table class="table">
          <tbody>
            {records.map(({ name, role }) => (
              <tr key={name}>
                <td class="bold">{name}</td>
                <td>{said.roles[role]}</td>
                <td class="right">
                  <button type="button" class="btn btn-plain" onClick={() => void removeRecord('users', name, null)}>
                    {said.remove}
                    <span class="sr"> {name}</span>
                  </button>
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </section>
      {isAdding.value && (
        <RecordForm
          title={said.addPerson}
          path="/plant/users"
          submit={said.addPerson}
          onClose={close}
          onDone={() => {
            close();
            reload();
          }}
          fields={[
            { name: 'name', label: said.name },
            { name: 'role', label: said.may, choices: PAGE_ROLES, value: 'technician' },
            { name: 'password', label: said.password, type: 'password' },
          ]}
        />
      )}
    </>
  );
}
