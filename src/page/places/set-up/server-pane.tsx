import type { Signal } from '@preact/signals';
import { FieldFault, marksOf } from '../../form/field-fault.tsx';
import type { FormRefusal } from '../../form/refusal.ts';
import { FaultLine } from '../../show/fault-line.tsx';
import { number } from '../../show/format.ts';
import { Icon } from '../../show/icon.tsx';
import { words } from '../../words/words.ts';
import { FixedNote } from './fixed-note.tsx';
import type { Draft, SERVER_FIELDS } from './settings.ts';
import type { Tried } from './trial.ts';

interface PaneProps {
  readonly draft: Signal<Draft>;
  readonly tried: Tried;
  readonly isFixed: boolean;
  readonly isKeyMissing: boolean;
  readonly refusal: FormRefusal;
}

/** The central server, tried while its address is typed. */
export function ServerPane({ draft, tried, isFixed, isKeyMissing, refusal }: PaneProps) {
  const { setUp: said } = words.value;
  const { url, apiKey } = draft.value;
  const faultIn = (field: (typeof SERVER_FIELDS)[number]) =>
    (tried.kind === 'wrong' ? tried.refusal : refusal.shown)?.ofField.get(field) ?? null;
  const urlFault = faultIn('upstream.url');
  const isRefused = tried.kind === 'tried' && tried.trial.outcome === 'keyRefused';
  const keyFault = isRefused ? said.keyRefused : faultIn('upstream.apiKey');
  const change = (changed: Partial<Draft>) => {
    draft.value = { ...draft.value, ...changed };
  };
  return (
    <section class="pane stack" aria-label={said.server}>
      <h2 class="h3">
        {said.server} <span class="dim normal">{said.optional}</span>
      </h2>
      {isFixed && <FixedNote section="upstream" />}
      <div class="field">
        <label for="server-url">{said.address}</label>
        <input
          id="server-url"
          type="text"
          inputMode="url"
          autocomplete="off"
          placeholder="https://central.example/"
          value={url}
          disabled={isFixed}
          {...marksOf(urlFault, 'server-url')}
          onInput={(event) => {
            refusal.forget('upstream.url');
            change({ url: event.currentTarget.value });
          }}
        />
        <FieldFault fault={urlFault} id="server-url" />
        <Answer tried={tried} />
      </div>
      {!isFixed && (
        <div class="field">
          <label for="server-key">{said.key}</label>
          <input
            id="server-key"
            type="password"
            autocomplete="off"
            value={apiKey}
            {...marksOf(keyFault, 'server-key')}
            onInput={(event) => {
              refusal.forget('upstream.apiKey');
              change({ apiKey: event.currentTarget.value });
            }}
          />
          <FieldFault fault={keyFault} id="server-key" />
          {isKeyMissing && (
            <span class="hint" role="status">
              {said.keyMissing}
            </span>
          )}
        </div>
      )}
      <p class="dim small">{said.withoutServer}</p>
    </section>
  );
}

/** Whether it answers, beside the address. */
function Answer({ tried }: { readonly tried: Tried }) {
  const { setUp: said } = words.value;
  if (tried.kind === 'nothing' || tried.kind === 'wrong') return null;
  if (tried.kind === 'trying') return <span class="hint">{said.trying}</span>;
  if (tried.kind === 'failed') {
    return (
      <>
        <FaultLine fault={tried.fault} />
        <button type="button" class="btn btn-start" onClick={tried.onRepeat}>
          {words.value.tasks.tryAgain}
        </button>
      </>
    );
  }
  const { outcome, answeredInMs, speaks, detail, code } = tried.trial;
  if (outcome === 'answers' || outcome === 'keyRefused') {
    return (
      <span class="ok" role="status">
        <Icon name="check" />
        {said.answers(number(answeredInMs), speaks)}
      </span>
    );
  }
  const text = `${said.faults[outcome]} ${said.faultOf(code ?? '')}`;
  return <FaultLine fault={{ text, more: detail ?? '' }} />;
}
