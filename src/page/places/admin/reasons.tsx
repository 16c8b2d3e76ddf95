import { useSignal } from '@preact/signals';
import { type DowntimeReason, REASON_ICONS } from '../../../domain/plant/plant.ts';
import { Icon } from '../../show/icon.tsx';
import { words } from '../../words/words.ts';
import { iconOf } from '../stops/reason-buttons.tsx';
import { RecordForm } from './record-form.tsx';
import { removeRecord, useRecords } from './use-records.ts';

/** Why machines stop here. */
export function Reasons() {
  const { records, reload } = useRecords<DowntimeReason>('downtimeReasons');
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
        {said.addReason}
      </button>
      <section class="pane flush" aria-label={said.tabs.reasons}>
        <table class="table">
          <tbody>
            {records.map((reason) => (
              <tr key={reason.id}>
                <td class="dim">{reason.id}</td>
                <td class="bold">
                  <Icon name={iconOf(reason)} /> {reason.reason}
                </td>
                <td>{reason.group}</td>
                <td class="right">
                  <button
                    type="button"
                    class="btn btn-plain"
                    onClick={() => void removeRecord('downtimeReasons', reason.id, reason)}
                  >
                    {said.remove}
                    <span class="sr"> {reason.reason}</span>
                  </button>
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </section>
      {isAdding.value && (
        <RecordForm
          title={said.addReason}
          path="/plant/downtimeReasons"
          submit={said.addReason}
          onClose={close}
          onDone={() => {
            close();
            reload();
          }}
          fields={[
            { name: 'id', label: said.reasonId },
            { name: 'reason', label: said.reason },
            { name: 'group', label: said.group },
            { name: 'icon', label: said.icon, choices: ['', ...REASON_ICONS] },
          ]}
        />
      )}
    </>
  );
}
