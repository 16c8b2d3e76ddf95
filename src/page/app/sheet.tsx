import type { ComponentChildren } from 'preact';
import { useEffect, useLayoutEffect, useMemo, useRef } from 'preact/hooks';
import { seeFromNow } from '../api/seen-age.ts';
import { Icon } from '../show/icon.tsx';
import { words } from '../words/words.ts';
import { sheets } from './toast.ts';
import { ToastView } from './toast-view.tsx';
import { askToLeave, useUnsaved } from './unsaved.ts';

interface SheetProps {
  readonly title: string;
  readonly onClose: () => void;
  /** The sheet stays open until the answer has come. Otherwise nobody would see a refusal or a new key. */
  readonly isHeldOpen?: boolean;
  readonly isUnsaved?: boolean;
  readonly children: ComponentChildren;
}

/**
 * A dialog at the lower edge of the page, within reach of thumbs. Escape, back and its button close it. They ask first
 * if something unsaved in it would be lost.
 */
export function Sheet({ title, onClose, isHeldOpen = false, isUnsaved = false, children }: SheetProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const sheet = useMemo(() => Symbol(title), []);
  // A layout effect opens the dialog at once. Otherwise a busy browser would send the first keys elsewhere.
  useLayoutEffect(() => open(dialog.current), []);
  useEffect(() => {
    sheets.value = [...sheets.value, sheet];
    return () => {
      sheets.value = sheets.value.filter((other) => other !== sheet);
    };
  }, [sheet]);
  useEffect(seeFromNow, []);
  useUnsaved(isUnsaved);
  const close = () => {
    if (isHeldOpen) return;
    if (isUnsaved) askToLeave(onClose);
    else onClose();
  };
  const staysOpen = isHeldOpen || isUnsaved;
  return (
    <dialog
      class="sheet"
      aria-label={title}
      ref={dialog}
      onCancel={(event) => {
        if (!staysOpen) return;
        event.preventDefault();
        close();
      }}
      // Only the first Escape can be prevented, and `followHistory` closes the dialog at once: it is opened again.
      onClose={() => {
        if (staysOpen) dialog.current?.showModal();
        close();
      }}
    >
      <div class="in">
        <div class="head">
          <h2>{title}</h2>
          <button
            type="button"
            class="btn btn-icon"
            aria-label={words.value.close}
            disabled={isHeldOpen}
            onClick={close}
          >
            <Icon name="close" />
          </button>
        </div>
        <ToastView sheet={sheet} />
        {children}
      </div>
    </dialog>
  );
}

/** The focus returns when the sheet is gone. */
function open(dialog: HTMLDialogElement | null): () => void {
  const before = document.activeElement;
  dialog?.showModal();
  if (dialog !== null) focusFirst(dialog);
  return () => {
    if (before instanceof HTMLElement && before.isConnected) before.focus();
  };
}

/**
 * Puts the focus into the first field of a sheet's main form, with the caret at its end, or on the main button of a
 * sheet without fields. The browser would choose the button that closes the sheet.
 */
function focusFirst(dialog: HTMLDialogElement): void {
  const field = dialog.querySelector<HTMLInputElement | HTMLTextAreaElement>('form:has(.btn-main) input, textarea');
  field?.focus();
  field?.setSelectionRange(field.value.length, field.value.length);
  if (dialog.querySelector('input, select, textarea') === null)
    dialog.querySelector<HTMLButtonElement>('.btn-main')?.focus();
}
