import { Icon } from '../show/icon.tsx';
import { words } from '../words/words.ts';
import { closeToast, sheets, takeBack, toast } from './toast.ts';

/** The toast with the outcome of an act: in the uppermost sheet, else at the bottom, where it takes room below the place. */
export function ToastView({ sheet }: { readonly sheet?: symbol }) {
  const shown = toast.value;
  if (shown === null || sheets.value.at(-1) !== sheet) return null;
  const { text, more, isRefusal, undo } = shown;
  return (
    <div class={sheet === undefined ? 'toast toast-fix' : 'toast toast-sheet'} role={isRefusal ? 'alert' : 'status'}>
      <Icon name={isRefusal ? 'warn' : 'check'} />
      <span>
        <b>{text}</b>
        <br />
        {more}
      </span>
      <button type="button" class="btn" onClick={() => (undo === null ? closeToast() : void takeBack(undo))}>
        {undo === null ? words.value.close : words.value.undo}
      </button>
    </div>
  );
}
