import { useEffect, useRef } from 'preact/hooks';
import { Icon } from '../show/icon.tsx';
import { words } from '../words/words.ts';
import { closeToast, holdToast, letToastGo, sheets, type Toast, takeBack, toast } from './toast.ts';

/** The toast with the outcome of an act: in the uppermost sheet, else at the bottom, where it takes room below the place. */
export function ToastView({ sheet }: { readonly sheet?: symbol }) {
  const shown = toast.value;
  if (shown === null || sheets.value.at(-1) !== sheet) return null;
  return <ShownToast shown={shown} isInSheet={sheet !== undefined} />;
}

function ShownToast({ shown, isInSheet }: { readonly shown: Toast; readonly isInSheet: boolean }) {
  const { text, more, isRefusal, undo } = shown;
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => (undo === null ? undefined : beNextForTab(box.current)), [shown]);
  const leave = () => {
    if (!isHeld(box.current)) letToastGo();
  };
  return (
    <div
      class={isInSheet ? 'toast toast-sheet' : 'toast toast-fix'}
      role={isRefusal ? 'alert' : 'status'}
      ref={box}
      onPointerEnter={holdToast}
      onPointerLeave={leave}
      onFocusIn={holdToast}
      onFocusOut={() => queueMicrotask(leave)}
    >
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

function isHeld(box: HTMLElement | null): boolean {
  return box?.matches(':hover, :focus-within') === true;
}

/** The first Tab after an act goes to Undo, which stands at the end of the page; a further key moves on as usual. */
function beNextForTab(box: HTMLElement | null): () => void {
  const hear = (event: KeyboardEvent) => {
    if (event.defaultPrevented || event.ctrlKey || event.altKey || event.metaKey) return;
    document.removeEventListener('keydown', hear);
    if (event.key !== 'Tab' || event.shiftKey) return;
    event.preventDefault();
    box?.querySelector('button')?.focus();
  };
  document.addEventListener('keydown', hear);
  return () => document.removeEventListener('keydown', hear);
}
