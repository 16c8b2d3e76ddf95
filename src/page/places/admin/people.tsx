import { useSignal } from '@preact/signals';
import { type ApiKey, ROLES } from '../../../domain/plant/plant.ts';
import type { PersonView } from '../../../flows/people/people-ports.ts';
import { call } from '../../api/call.ts';
import { go } from '../../app/route.ts';
import { isDone } from '../../app/tell-outcome.ts';
import { showDone } from '../../app/toast.ts';
import { askWho } from '../../people/who.ts';
import { severalPlants } from '../../several-plants/several-plants.ts';
import { timeOrDate } from '../../show/format.ts';
import { Icon } from '../../show/icon.tsx';
import { ScrollSection } from '../../show/scroll-section.tsx';
import { words } from '../../words/words.ts';
import { seenAt, usePresence } from './presence.ts';
import { RecordForm, rolesOf } from './record-form.tsx';
import { Act } from './records-tab.tsx';
import { RemoveButton } from './remove-button.tsx';
import { RevokeKey } from './revoke-key.tsx';
import { useRecords } from './use-records.ts';
import { useScope } from './use-scope.tsx';

/** The roles that the page is for; the others are those of programs. */
const PAGE_ROLES = ROLES.filter((role) => role !== 'gateway' && role !== 'business');

type Asked = { readonly kind: 'nothing' | 'add' } | { readonly kind: 'change'; readonly person: PersonView };

/** The people who may sign in at the page, and those who are there. */
export function People() {
  const { people, reload } = usePresence();
  const asked = useSignal<Asked>({ kind: 'nothing' });
  const { admin: texts } = words.value;
  const close = () => {
    asked.value = { kind: 'nothing' };
  };
  const done = () => {
    close();
    reload();
  };
  const present = asked.value;
  return (
    <>
      <button type="button" class="btn btn-main btn-start" onClick={() => (asked.value = { kind: 'add' })}>
        <Icon name="plus" />
        {texts.addPerson}
      </button>
      <ScrollSection label={texts.tabs.people} class="pane flush">
        <table class="table">
          <tbody>
            {people.map((person) => (
              <Row
                key={person.name}
                person={person}
                onChange={() => (asked.value = { kind: 'change', person })}
                onEnd={() => void endSessions(person.name).then(reload)}
              />
            ))}
          </tbody>
        </table>
      </ScrollSection>
      <Panels />
      {present.kind === 'add' && <AddPerson onClose={close} onDone={done} />}
      {present.kind === 'change' && <ChangePerson person={present.person} onClose={close} onDone={done} />}
    </>
  );
}

interface RowProps {
  readonly person: PersonView;
  readonly onChange: () => void;
  readonly onEnd: () => void;
}

function Row({ person, onChange, onEnd }: RowProps) {
  const { name, role, hasBadge, hasPin, lastSeenAt, sessions } = person;
  const parts = severalPlants.value;
  const { admin, people: texts } = words.value;
  const proofs = [...(hasBadge ? [texts.hasBadge] : []), ...(hasPin ? [texts.hasPin] : [])].join(', ');
  return (
    <tr>
      <td>
        <b>{name}</b>
        <br />
        <span class="dim small">{proofs}</span>
      </td>
      <td>
        {admin.roles[role]}
        {parts !== null && <parts.ScopeText of={person} />}
      </td>
      <td>
        {`${texts.seen}: ${seenAt(lastSeenAt)}`}
        <br />
        <span class="dim small">{texts.sessions(sessions)}</span>
      </td>
      <td class="right">
        <Act label={texts.change} of={name} onPress={onChange} />
        {sessions > 0 && <Act label={texts.end} of={name} onPress={onEnd} />}
        <RemoveButton kind="users" id={name} name={name} label={admin.remove} class="btn btn-plain" />
      </td>
    </tr>
  );
}

interface FormProps {
  readonly onClose: () => void;
  readonly onDone: () => void;
}

function AddPerson({ onClose, onDone }: FormProps) {
  const scope = useScope();
  const { admin, people: texts } = words.value;
  return (
    <RecordForm
      title={admin.addPerson}
      path="/plant/users"
      submit={admin.addPerson}
      fixed={scope.given}
      onClose={onClose}
      onDone={onDone}
      fields={[
        { name: 'name', label: admin.name },
        { name: 'role', label: admin.may, choices: rolesOf(PAGE_ROLES), value: 'technician' },
        { name: 'password', label: admin.password, type: 'password' },
        { name: 'badge', label: texts.badge },
        { name: 'pin', label: texts.pin, type: 'password' },
      ]}
    >
      {scope.field()}
    </RecordForm>
  );
}

function ChangePerson({ person, onClose, onDone }: FormProps & { readonly person: PersonView }) {
  const { name, role } = person;
  const scope = useScope();
  const { people: texts } = words.value;
  return (
    <RecordForm
      title={texts.changed(name)}
      path={`/plant/users/${encodeURIComponent(name)}`}
      method="PUT"
      submit={texts.change}
      fixed={{ name, ...scope.given }}
      onClose={onClose}
      onDone={onDone}
      fields={[
        { name: 'role', label: words.value.admin.may, choices: rolesOf(PAGE_ROLES), value: role },
        { name: 'password', label: texts.newPassword, type: 'password' },
        { name: 'badge', label: texts.badge },
        { name: 'pin', label: texts.pin, type: 'password' },
      ]}
    >
      {scope.field(person)}
      <p class="dim">{texts.keeps}</p>
    </RecordForm>
  );
}

async function endSessions(name: string): Promise<void> {
  if (!isDone(await call('DELETE', `/people/${encodeURIComponent(name)}/sessions`))) return;
  showDone(words.value.people.ended(name));
}

type Key = Pick<ApiKey, 'id' | 'principal' | 'role' | 'since' | 'plants'> & { readonly isPanel?: boolean };

/** Browsers at which technicians sign in by badge or PIN. */
function Panels() {
  const { records } = useRecords<Key>('apiKeys');
  const isAdding = useSignal(false);
  const scope = useScope();
  const { people: texts } = words.value;
  const parts = severalPlants.value;
  const panels = (records ?? []).filter(({ isPanel }) => isPanel === true);
  return (
    <section class="pane stack" aria-label={texts.panels}>
      <h2 class="h3">{texts.panels}</h2>
      <p class="dim">{texts.panelsHint}</p>
      {panels.length > 0 && (
        <table class="table">
          <tbody>
            {panels.map((panel) => (
              <tr key={panel.id}>
                <td class="bold">{panel.principal}</td>
                <td class="dim">
                  {panel.since !== null && texts.since(timeOrDate(panel.since))}
                  {parts !== null && <parts.ScopeText of={panel} />}
                </td>
                <RevokeKey id={panel.id} principal={panel.principal} means="panels" />
              </tr>
            ))}
          </tbody>
        </table>
      )}
      <button type="button" class="btn btn-start" onClick={() => (isAdding.value = true)}>
        <Icon name="badge" />
        {texts.enrol}
      </button>
      {isAdding.value && (
        <RecordForm
          title={texts.enrol}
          path="/panel"
          submit={texts.enrol}
          fixed={scope.given}
          fields={[{ name: 'name', label: texts.panelName }]}
          onClose={() => {
            isAdding.value = false;
          }}
          onDone={async () => {
            // Andon is asked for what a panel may see.
            await askWho();
            go({ place: 'andon' });
          }}
        >
          {scope.field()}
          <p class="dim">{texts.enrolHint}</p>
        </RecordForm>
      )}
    </section>
  );
}
