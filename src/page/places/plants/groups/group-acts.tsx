import { useSignal } from '@preact/signals';
import { call } from '../../../api/call.ts';
import { Question } from '../../../app/question.tsx';
import { go } from '../../../app/route.ts';
import { isDone } from '../../../app/tell-outcome.ts';
import { Icon } from '../../../show/icon.tsx';
import { words } from '../../../words/words.ts';
import { RecordForm } from '../../admin/record-form.tsx';
import { fleetWords } from '../fleet-words.ts';
import { GROUPS, type GroupView, mayChangeGroups, pathOfGroup } from './use-groups.ts';

interface GroupActsProps {
  readonly group: GroupView;
  readonly onChanged: () => void;
}

/** An administrator renames or removes a group. */
export function GroupActs({ group, onChanged }: GroupActsProps) {
  const open = useSignal<'nothing' | 'name' | 'end'>('nothing');
  const { groups: texts } = fleetWords.value;
  const { admin, alerts } = words.value;
  const close = () => {
    open.value = 'nothing';
  };
  const remove = async () => {
    close();
    if (isDone(await call('DELETE', pathOfGroup(group)))) go({ place: 'plants', groups: '' });
  };
  if (!mayChangeGroups()) return null;
  return (
    <div class="row">
      <button type="button" class="btn" onClick={() => (open.value = 'name')}>
        {texts.rename}
      </button>
      <button type="button" class="btn" onClick={() => (open.value = 'end')}>
        {texts.remove}
      </button>
      {open.value === 'name' && (
        <RecordForm
          title={group.name}
          path={pathOfGroup(group)}
          method="PUT"
          fields={[{ name: 'name', label: texts.name, value: group.name }]}
          submit={alerts.save}
          onClose={close}
          onDone={() => {
            close();
            onChanged();
          }}
        />
      )}
      {open.value === 'end' && (
        <Question
          title={admin.removeQuestion(group.name)}
          meaning={texts.removeMeans}
          act={texts.remove}
          onAct={() => void remove()}
          onClose={close}
        />
      )}
    </div>
  );
}

/** An administrator makes a group. */
export function AddGroup({ onAdded }: { readonly onAdded: () => void }) {
  const isOpen = useSignal(false);
  const { groups: texts } = fleetWords.value;
  const close = () => {
    isOpen.value = false;
  };
  if (!mayChangeGroups()) return null;
  return (
    <div class="row">
      <button type="button" class="btn btn-main" onClick={() => (isOpen.value = true)}>
        <Icon name="plus" />
        {texts.add}
      </button>
      {isOpen.value && (
        <RecordForm
          title={texts.add}
          path={GROUPS}
          fields={[{ name: 'name', label: texts.name }]}
          submit={texts.add}
          onClose={close}
          onDone={() => {
            close();
            onAdded();
          }}
        />
      )}
    </div>
  );
}
