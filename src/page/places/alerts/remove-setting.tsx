import { useSignal } from '@preact/signals';
import { call } from '../../api/call.ts';
import { Question } from '../../app/question.tsx';
import { isDone } from '../../app/tell-outcome.ts';
import { Icon } from '../../show/icon.tsx';
import { words } from '../../words/words.ts';

interface RemoveSettingProps {
  readonly path: string;
  readonly title: string;
  /** The effect of the removal; empty if the title says it. */
  readonly meaning: string;
  readonly onRemoved: () => void;
}

/** Removes a rule, a channel or a recipient, and asks first: its secrets cannot be given back. */
export function RemoveSetting({ path, title, meaning, onRemoved }: RemoveSettingProps) {
  const isAsked = useSignal(false);
  const { remove } = words.value.alerts;
  const close = () => {
    isAsked.value = false;
  };
  const act = async () => {
    if (!isDone(await call('DELETE', path))) return;
    close();
    onRemoved();
  };
  return (
    <>
      <button type="button" class="btn btn-start" onClick={() => (isAsked.value = true)}>
        <Icon name="trash" />
        {remove}
      </button>
      {isAsked.value && (
        <Question title={title} meaning={meaning} act={remove} onAct={() => void act()} onClose={close} />
      )}
    </>
  );
}
