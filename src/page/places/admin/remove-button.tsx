import { useSignal } from '@preact/signals';
import { Question } from '../../app/question.tsx';
import { useShown } from '../../show/use-shown.ts';
import { words } from '../../words/words.ts';
import { removeRecord } from './use-records.ts';

interface RemoveButtonProps {
  readonly kind: 'users' | 'apiKeys' | 'mqttAccounts' | 'machines';
  readonly id: string;
  /** The name that people know it by. */
  readonly name: string;
  /** What the removal means, if not that of every record of the kind. */
  readonly means?: 'apiKeys' | 'panels';
  readonly label: string;
  readonly class: string;
  readonly onRemoved?: () => void;
}

/** Takes away a record whose secrets the page does not know, so it cannot be given back: it asks first. */
export function RemoveButton({ kind, id, name, means, label, class: look, onRemoved }: RemoveButtonProps) {
  const isAsked = useSignal(false);
  const isShown = useShown();
  const { admin: texts } = words.value;
  const close = () => {
    isAsked.value = false;
  };
  const remove = async () => {
    if (!(await removeRecord(kind, id, null))) return;
    close();
    // The form of another record may be open by now.
    if (isShown()) onRemoved?.();
  };
  return (
    <>
      <button type="button" class={look} onClick={() => (isAsked.value = true)}>
        {label}
        {kind !== 'machines' && <span class="sr"> {name}</span>}
      </button>
      {isAsked.value && (
        <Question
          title={texts.removeQuestion(name)}
          meaning={texts.removeMeans[means ?? kind]}
          act={label}
          onAct={() => void remove()}
          onClose={close}
        />
      )}
    </>
  );
}
