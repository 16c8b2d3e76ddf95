import { useSignal } from '@preact/signals';
import { type ApiKey, ROLES } from '../../../domain/plant/plant.ts';
import { useUnsaved } from '../../app/unsaved.ts';
import { severalPlants } from '../../several-plants/several-plants.ts';
import { Icon } from '../../show/icon.tsx';
import { ScrollSection } from '../../show/scroll-section.tsx';
import { words } from '../../words/words.ts';
import { seenAt, usePresence } from './presence.ts';
import { RecordForm, rolesOf } from './record-form.tsx';
import { RevokeKey } from './revoke-key.tsx';
import { useRecords } from './use-records.ts';
import { useScope } from './use-scope.tsx';

type Key = Pick<ApiKey, 'id' | 'principal' | 'role' | 'plants'> & { readonly isPanel?: boolean };

const KEY_BYTES = 24;

/** Keys of programs. A new one is shown once. */
export function Keys() {
  const { records, reload } = useRecords<Key>('apiKeys');
  const adding = useSignal<string | null>(null);
  const shown = useSignal<string | null>(null);
  const scope = useScope();
  useUnsaved(shown.value !== null);
  const { admin: texts } = words.value;
  if (records === null) return null;
  return (
    <>
      {shown.value !== null && (
        <section class="verdict" aria-label={texts.newKey}>
          <Icon name="key" />
          <div class="grow">
            <span>{texts.shownOnce}</span>
            <br />
            <code>{shown.value}</code>
          </div>
          <button type="button" class="btn btn-main btn-start" onClick={() => (shown.value = null)}>
            {texts.haveStored}
          </button>
        </section>
      )}
      <button type="button" class="btn btn-main btn-start" onClick={() => (adding.value = newKey())}>
        <Icon name="plus" />
        {texts.addKey}
      </button>
      <KeyTable keys={records.filter(({ isPanel }) => isPanel !== true)} />
      {adding.value !== null && (
        <RecordForm
          title={texts.addKey}
          path="/plant/apiKeys"
          submit={texts.addKey}
          fixed={{ key: adding.value, ...scope.given }}
          onClose={() => {
            adding.value = null;
          }}
          onDone={() => {
            shown.value = adding.value;
            adding.value = null;
            reload();
          }}
          fields={[
            { name: 'principal', label: texts.principal },
            { name: 'role', label: texts.may, choices: rolesOf(ROLES), value: 'business' },
          ]}
        >
          {scope.field()}
        </RecordForm>
      )}
    </>
  );
}

/** Keys of programs, and when each was used last. Keys of panels are listed in the tab of the people. */
function KeyTable({ keys }: { readonly keys: readonly Key[] }) {
  const { keys: used } = usePresence();
  const { admin: texts } = words.value;
  const parts = severalPlants.value;
  if (keys.length === 0) return null;
  return (
    <ScrollSection label={texts.tabs.keys} class="pane flush">
      <table class="table">
        <thead>
          <tr>
            <th>{texts.principal}</th>
            <th>{texts.may}</th>
            <th>{words.value.people.lastUsed}</th>
            <td />
          </tr>
        </thead>
        <tbody>
          {keys.map((key) => (
            <tr key={key.id}>
              <td class="bold">{key.principal}</td>
              <td>
                {texts.roles[key.role]}
                {parts !== null && <parts.ScopeText of={key} />}
              </td>
              <td class="dim">{seenAt(used.find(({ id }) => id === key.id)?.lastUsedAt ?? null)}</td>
              <RevokeKey id={key.id} principal={key.principal} means="apiKeys" />
            </tr>
          ))}
        </tbody>
      </table>
    </ScrollSection>
  );
}

/** 192 random bits. The gateway keeps only their hash. */
function newKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(KEY_BYTES));
  return `pg_${Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')}`;
}
