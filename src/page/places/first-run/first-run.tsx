import { useSignal } from '@preact/signals';
import { type Fault, faultOf } from '../../app/tell-outcome.ts';
import { setUp } from '../../people/who.ts';
import { FaultLine } from '../../show/fault-line.tsx';
import { Icon } from '../../show/icon.tsx';
import { words } from '../../words/words.ts';
import { Steps } from '../set-up/steps.tsx';

/** The first start: the code of the log, and who looks after the gateway. Then plant, server and first machine. */
export function FirstRun() {
  const fault = useSignal<Fault | null>(null);
  const isBusy = useSignal(false);
  const { firstRun: said, goOn } = words.value;
  const submit = async (event: SubmitEvent) => {
    event.preventDefault();
    if (!(event.currentTarget instanceof HTMLFormElement)) return;
    const form = new FormData(event.currentTarget);
    const text = (name: string) => String(form.get(name));
    isBusy.value = true;
    const outcome = await setUp(text('code').trim(), text('name').trim(), text('password'));
    isBusy.value = false;
    if (outcome.kind === 'done') return;
    const isWrongCode = outcome.kind === 'refused' && outcome.status === 401;
    fault.value = isWrongCode ? { text: said.wrongCode, more: '' } : faultOf(outcome, said.noAnswerHint);
  };
  return (
    <main class="main sign-in" id="main">
      <div class="row">
        <Icon name="brand" kind="xl" />
        <div>
          <h1 class="h2">{said.title}</h1>
          <p class="dim">{said.hint}</p>
        </div>
      </div>
      <Steps here={0} />
      <form class="pane stack" onSubmit={(event) => void submit(event)}>
        <div class="field">
          <label for="code">{said.code}</label>
          <input
            id="code"
            name="code"
            autocomplete="off"
            autocapitalize="characters"
            placeholder="····-····"
            required
          />
        </div>
        <div class="field">
          <label for="name">{said.name}</label>
          <input id="name" name="name" autocomplete="username" autocapitalize="none" required />
        </div>
        <div class="field">
          <label for="password">{said.password}</label>
          <input id="password" name="password" type="password" autocomplete="new-password" minLength={8} required />
        </div>
        {fault.value !== null && <FaultLine fault={fault.value} />}
        <button type="submit" class="btn btn-main btn-wide" disabled={isBusy.value}>
          {goOn}
        </button>
      </form>
    </main>
  );
}
