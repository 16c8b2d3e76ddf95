import { useSignal } from '@preact/signals';
import type { ApiKey } from '../../../domain/plant/plant.ts';
import { go } from '../../app/route.ts';
import { askWho } from '../../people/who.ts';
import { timeOrDate } from '../../show/format.ts';
import { Icon } from '../../show/icon.tsx';
import { words } from '../../words/words.ts';
import { RecordForm } from './record-form.tsx';
import { RevokeKey } from './revoke-key.tsx';
import { useRecords } from './use-records.ts';

type Key = Pick<ApiKey, 'id' | 'principal' | 'since'> & { readonly isPanel?: boolean };

/** Browsers at which technicians sign in by badge or PIN. */
export function Panels() {
  const { records } = useRecords<Key>('apiKeys');
  const isAdding = useSignal(false);
  const { people: said } = words.value;
  const panels = (records ?? []).filter(({ isPanel }) => isPanel === true);
  return (
    <section class="pane stack" aria-label={said.panels}>
      <h2 class="h3">{said.panels}</h2>
      <p class="dim">{said.panelsHint}</p>
      {panels.length > 0 && (
        <table class="table">
          <tbody>
            {panels.map(({ id, principal, since }) => (
              <tr key={id}>
                <td class="bold">{principal}</td>
                <td class="dim">{since !== null && said.since(timeOrDate(since))}</td>
                <RevokeKey id={id} principal={principal} means="panels" />
              </tr>
            ))}
          </tbody>
        </table>
      )}
      <button type="button" class="btn btn-start" onClick={() => (isAdding.value = true)}>
        <Icon name="badge" />
        {said.enrol}
      </button>
      {isAdding.value && (
        <RecordForm
          title={said.enrol}
          path="/panel"
          submit={said.enrol}
          fields={[{ name: 'name', label: said.panelName }]}
          onClose={() => {
            isAdding.value = false;
          }}
          onDone={() => {
            go({ place: 'andon' });
            void askWho();
          }}
        >
          <p class="dim">{said.enrolHint}</p>
        </RecordForm>
      )}
    </section>
  );
}
