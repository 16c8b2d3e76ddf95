import { Icon } from '../show/icon.tsx';
import { words } from '../words/words.ts';
import { closeToast, toast } from './toast.ts';

/** The toast with the outcome of an act, at the bottom; it blocks nothing. */
export function ToastView() {
  const shown = toast.value;
  if (shown === null) return null;
  const { text, more, isRefusal, undo } = shown;
  const act = () => {
    closeToast();
    undo?.();
  };
  return (
    <div class="toast toast-fix" role={isRefusal ? 'alert' : 'status'}>
      <Icon name={isRefusal ? 'warn' : 'check'} />
      <span>
        <b>{text}</b>
        <br />
        {more}
      </span>
      <button type="button" class="btn" onClick={act}>
        {undo === null ? words.value.close : words.value.undo}
      </button>
    </div>
  );
}
