import { useSignal } from '@preact/signals';
import { type DowntimeReason, REASON_ICONS } from '../../../domain/plant/plant.ts';
import { Icon } from '../../show/icon.tsx';
import { words } from '../../words/words.ts';
import { iconOf } from '../stops/reason-buttons.tsx';
import { StarterReasons } from '../stops/starter-reasons.tsx';
import { RecordForm } from './record-form.tsx';
import { removeRecord, useRecords } from './use-records.ts';

/** The reasons for which machines stop here. */
export function Reasons() {
  const { records, reload } = useRecords<DowntimeReason>('downtimeReasons');
  const isAdding = useSignal(false);
  const { admin: texts } = words.value;
  const close = () => {
    isAdding.value = false;
  };
  if (records === null) return null;
  return (
    <>
      {records.length === 0 && <StarterReasons />}
      <button type="button" class="btn btn-main btn-start" onClick={() => (isAdding.value = true)}>
        <Icon name="plus" />
        {texts.addReason}
      </button>
      {records.length > 0 && <ReasonTable reasons={records} />}
      {isAdding.value && (
        <RecordForm
          title={texts.addReason}
          path="/plant/downtimeReasons"
          submit={texts.addReason}
          onClose={close}
          onDone={() => {
            close();
            reload();
          }}
          fields={[
            { name: 'id', label: texts.reasonId },
            { name: 'reason', label: texts.reason },
            { name: 'group', label: texts.group },
          ]}
        >
          <IconChoice />
        </RecordForm>
      )}
    </>
  );
}

function ReasonTable({ reasons }: { readonly reasons: readonly DowntimeReason[] }) {
  const { admin: texts } = words.value;
  return (
    <section class="pane flush" aria-label={texts.tabs.reasons}>
      <table class="table table-reasons">
        <thead class="hide-s">
          <tr>
            <th>
              <span class="sr">{texts.icon}</span>
            </th>
            <th>{texts.reason}</th>
            <th>{texts.group}</th>
            <th>{texts.reasonId}</th>
            <th>
              <span class="sr">{texts.remove}</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {reasons.map((reason) => (
            <tr key={reason.id}>
              <td>
                <Icon name={iconOf(reason)} />
              </td>
              <td>
                <b>{reason.reason}</b>
                <span class="dim small narrow-only">
                  <br />
                  {reason.group}, {reason.id}
                </span>
              </td>
              <td class="hide-s">{reason.group}</td>
              <td class="dim hide-s">{reason.id}</td>
              <td class="right">
                <button
                  type="button"
                  class="btn btn-plain"
                  onClick={() => void removeRecord('downtimeReasons', reason.id, reason)}
                >
                  {texts.remove}
                  <span class="sr"> {reason.reason}</span>
                </button>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

/** The icons that a reason can have, as pictures; without one the page chooses by the words of the reason. */
function IconChoice() {
  const { icon, iconByWords, icons } = words.value.admin;
  return (
    <fieldset class="field icon-choice">
      <legend class="lab">{icon}</legend>
      <label class="icon-auto">
        <input class="sr" type="radio" name="icon" value="" defaultChecked />
        {iconByWords}
      </label>
      {REASON_ICONS.map((name) => (
        <label key={name} title={icons[name]}>
          <input class="sr" type="radio" name="icon" value={name} />
          <Icon name={name} />
          <span class="sr">{icons[name]}</span>
        </label>
      ))}
    </fieldset>
  );
}
