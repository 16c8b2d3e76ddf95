import { Icon } from '../../show/icon.tsx';
import { words } from '../../words/words.ts';

/** A code by hand, for a label that no scanner reads. */
export function TypedCode({ label, onCode }: { readonly label: string; readonly onCode: (code: string) => void }) {
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    if (!(event.currentTarget instanceof HTMLFormElement)) return;
    const code = String(new FormData(event.currentTarget).get('code')).trim();
    if (code !== '') onCode(code);
    // Another code replaces this one.
    event.currentTarget.querySelector('input')?.select();
  };
  return (
    <form class="stack" onSubmit={submit}>
      <label class="find">
        <Icon name="coil" />
        <span class="sr">{label}</span>
        <input name="code" autocomplete="off" placeholder={label} required />
      </label>
      <button type="submit" class="btn btn-main">
        {words.value.goOn}
      </button>
    </form>
  );
}
