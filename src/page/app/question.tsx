import { Icon } from '../show/icon.tsx';
import { words } from '../words/words.ts';
import { Sheet } from './sheet.tsx';

interface QuestionProps {
  readonly title: string;
  /** The consequence of the act, and that it cannot be undone. */
  readonly meaning: string;
  readonly act: string;
  readonly icon?: string;
  /** The label of the main button. */
  readonly keep?: string;
  readonly onAct: () => void;
  readonly onClose: () => void;
}

/** Asks before an act that cannot be undone. The main button keeps everything as it is. */
export function Question(props: QuestionProps) {
  const { title, meaning, act, icon = 'trash', keep = words.value.keep, onAct, onClose } = props;
  return (
    <Sheet title={title} onClose={onClose}>
      <p>{meaning}</p>
      <div class="row">
        <button type="button" class="btn grow" onClick={onAct}>
          <Icon name={icon} />
          {act}
        </button>
        <button type="button" class="btn btn-main grow" onClick={onClose}>
          {keep}
        </button>
      </div>
    </Sheet>
  );
}
