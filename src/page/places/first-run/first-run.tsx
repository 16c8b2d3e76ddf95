import { useSignal } from '@preact/signals';
import { LanguageButton } from '../../app/language-button.tsx';
import { type Fault, faultOf } from '../../app/tell-outcome.ts';
import { FieldFault, marksOf, RefusalNote } from '../../form/field-fault.tsx';
import { type Refusal, refusalOf, useRefusal } from '../../form/refusal.ts';
import { setUp } from '../../people/who.ts';
import { FaultLine } from '../../show/fault-line.tsx';
import { Icon } from '../../show/icon.tsx';
import type { Words } from '../../words/english.ts';
import { words } from '../../words/words.ts';
import { Steps } from '../set-up/steps.tsx';

const FIELDS = ['code', 'name', 'password'] as const;

/** The first start: the code of the log, and who looks after the gateway. Then plant, server and first machine. */
export function FirstRun() {
  const fault = useSignal<Fault | null>(null);
  const refusal = useRefusal<HTMLFormElement>();
  const isBusy = useSignal(false);
  const { firstRun: texts, goOn } = words.value;
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
    const refused = isWrongCode ? wrongCode(texts) : refusalOf(outcome, FIELDS);
    refusal.tell(refused);
    fault.value = refused === null ? faultOf(outcome, texts.noAnswerHint) : null;
  };
  return (
    <main class="main sign-in" id="main">
      <div class="row">
        <Icon name="brand" kind="xl" />
        <div>
          <h1 class="h2">{texts.title}</h1>
          <p class="dim">{texts.hint}</p>
        </div>
        <LanguageButton class="push" />
      </div>
      <Steps here={0} />
      <form
        class="pane stack"
        ref={refusal.form}
        onInput={({ target }) => target instanceof HTMLInputElement && refusal.forget(target.name)}
        onSubmit={(event) => void submit(event)}
      >
        <Field
          id="code"
          label={texts.code}
          refusal={refusal.shown}
          autocomplete="off"
          autocapitalize="characters"
          placeholder="····-····"
        />
        <Field id="name" label={texts.name} refusal={refusal.shown} autocomplete="username" autocapitalize="none" />
        <Field
          id="password"
          label={texts.password}
          refusal={refusal.shown}
          type="password"
          autocomplete="new-password"
          minLength={8}
        />
        <RefusalNote refusal={refusal.shown} />
        {fault.value !== null && <FaultLine fault={fault.value} />}
        <button type="submit" class="btn btn-main btn-wide" disabled={isBusy.value}>
          {goOn}
        </button>
      </form>
    </main>
  );
}

interface FieldProps {
  readonly id: (typeof FIELDS)[number];
  readonly label: string;
  readonly refusal: Refusal | null;
  readonly autocomplete: 'off' | 'username' | 'new-password';
  readonly type?: 'password';
  readonly minLength?: number;
  readonly placeholder?: string;
  readonly autocapitalize?: 'characters' | 'none';
}

function Field({ id, label, refusal, ...input }: FieldProps) {
  const fault = refusal?.ofField.get(id) ?? null;
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <input id={id} name={id} required {...input} {...marksOf(fault, id)} />
      <FieldFault fault={fault} id={id} />
    </div>
  );
}

/** The page's own words: the gateway's are for programs. */
function wrongCode({ wrongCode: sentence }: Words['firstRun']): Refusal {
  return { text: words.value.trouble.marked, ofField: new Map([['code', sentence]]), others: [] };
}
