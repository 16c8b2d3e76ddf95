import { useSignal } from '@preact/signals';
import { LanguageButton } from '../../app/language-button.tsx';
import { type Fault, faultOf } from '../../app/tell-outcome.ts';
import { type SignInOutcome, signIn } from '../../people/who.ts';
import { FaultLine } from '../../show/fault-line.tsx';
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
        <LanguageButton class="push" />
      </div>
      <PasswordForm />
    </main>
  );
}

export function PasswordForm({ onDone = () => undefined }: { readonly onDone?: () => void }) {
  const fault = useSignal<Fault | null>(null);
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
    fault.value = signInFault(outcome);
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
      {fault.value !== null && <FaultLine fault={fault.value} />}
      <button type="submit" class="btn btn-main btn-wide" disabled={isBusy.value}>
        {enter}
      </button>
    </form>
  );
}

function signInFault(outcome: Exclude<SignInOutcome, { kind: 'done' }>): Fault {
  const { wrong, slow, repeat, notKept, notKeptHint } = words.value.signIn;
  if (outcome.kind === 'notKept') return { text: notKept, more: notKeptHint };
  if (outcome.kind === 'refused' && outcome.status === 401) return { text: wrong, more: '' };
  if (outcome.kind === 'refused' && outcome.status === 429) return { text: slow, more: '' };
  return faultOf(outcome, repeat);
}
