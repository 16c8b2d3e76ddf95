import { useSignal } from '@preact/signals';
import { signIn } from '../../people/who.ts';
import { Icon } from '../../show/icon.tsx';
import { words } from '../../words/words.ts';

/** Signing in by name and password. */
export function SignIn() {
  const { title, hint } = words.value.signIn;
  return (
    <main class="main sign-in" id="main">
      <div class="row">
        <Icon name="brand" kind="xl" />
        <div>
          <h1 class="h2">{title}</h1>
          <p class="dim">{hint}</p>
        </div>
      </div>
      <PasswordForm />
    </main>
  );
}

export function PasswordForm({ onDone = () => undefined }: { readonly onDone?: () => void }) {
  const fault = useSignal('');
  const isBusy = useSignal(false);
  const { name, password, enter } = words.value.signIn;
  const submit = async (event: SubmitEvent) => {
    event.preventDefault();
    if (!(event.currentTarget instanceof HTMLFormElement)) return;
    const form = new FormData(event.currentTarget);
    isBusy.value = true;
    const outcome = await signIn(String(form.get('name')).trim(), String(form.get('password')));
    isBusy.value = false;
    if (outcome.kind === 'done') return onDone();
    fault.value = outcome.kind === 'noAnswer' ? 'noAnswer' : outcome.status === 429 ? 'slow' : 'wrong';
  };
  return (
    <form class="pane stack" onSubmit={(event) => void submit(event)}>
      <div class="field">
        <label for="name">{name}</label>
        <input id="name" name="name" autocomplete="username" autocapitalize="none" required />
      </div>
      <div class="field">
        <label for="password">{password}</label>
        <input id="password" name="password" type="password" autocomplete="current-password" required />
      </div>
      {fault.value !== '' && (
        <div class="field">
          <span class="err" role="alert">
            <Icon name="held" />
            {faultText(fault.value)}
          </span>
        </div>
      )}
      <button type="submit" class="btn btn-main btn-wide" disabled={isBusy.value}>
        {enter}
      </button>
    </form>
  );
}

function faultText(fault: string): string {
  if (fault === 'noAnswer') return words.value.trouble.waits;
  return fault === 'slow' ? words.value.signIn.slow : words.value.signIn.wrong;
}
