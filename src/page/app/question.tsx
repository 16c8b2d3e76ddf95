import { Icon } from '../show/icon.tsx';
import { words } from '../words/words.ts';
import { Sheet } from './sheet.tsx';

interface QuestionProps {
  readonly title: string;
  /** The consequence of the act, and that it cannot be undone. */
  readonly meaning: string;
  readonly act: string;
  readonly icon?: string;
  readonly onAct: () => void;
  readonly onClose: () => void;
}

/** Asks before an act that cannot be undone. The main button keeps everything as it is. */
export function Question({ title, meaning, act, icon = 'trash', onAct, onClose }: QuestionProps) {
  return (
    <Sheet title={title} onClose={onClose}>
      <p>{meaning}</p>
      <div class="row">
        <button type="button" class="btn grow" onClick={onAct}>
          <Icon name={icon} />
          {act}
        </button>
        <button type="button" class="btn btn-main grow" onClick={onClose}>
          {words.value.keep}
        </button>
      </div>
    </Sheet>
  );
}
