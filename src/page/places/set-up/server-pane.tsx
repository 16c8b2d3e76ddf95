import { type Signal, useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type { ServerTrial } from '../../../flows/settings/settings-ports.ts';
import { call } from '../../api/call.ts';
import { type Fault, faultOf } from '../../app/tell-outcome.ts';
import { FaultLine } from '../../show/fault-line.tsx';
import { number } from '../../show/format.ts';
import { Icon } from '../../show/icon.tsx';
import { words } from '../../words/words.ts';
import { FixedNote } from './fixed-note.tsx';
import type { Draft } from './settings.ts';

/** The outcome of the newest try. */
export type Tried =
  | { readonly kind: 'nothing' }
  | { readonly kind: 'trying' }
  | { readonly kind: 'tried'; readonly trial: ServerTrial }
  | { readonly kind: 'failed'; readonly fault: Fault; readonly onRepeat: () => void };

const TYPING_PAUSE_MS = 500;

/** Tries the server that a person types, after a pause. */
export function useTrial(url: string, apiKey: string): Signal<Tried> {
  const tried = useSignal<Tried>({ kind: 'nothing' });
  const repeats = useSignal(0);
  useEffect(() => {
    tried.value = { kind: url === '' || apiKey === '' ? 'nothing' : 'trying' };
    if (tried.value.kind === 'nothing') return;
    let isCurrent = true;
    const timer = setTimeout(async () => {
      const outcome = await call<ServerTrial>('POST', '/settings/server', { url, apiKey });
      if (!isCurrent) return;
      if (outcome.kind === 'done') tried.value = { kind: 'tried', trial: outcome.value };
      else tried.value = { kind: 'failed', fault: faultOf(outcome, ''), onRepeat: () => (repeats.value += 1) };
    }, TYPING_PAUSE_MS);
    return () => {
      isCurrent = false;
      clearTimeout(timer);
    };
  }, [url, apiKey, repeats.value]);
  return tried;
}

interface PaneProps {
  readonly draft: Signal<Draft>;
  readonly tried: Tried;
  readonly isFixed: boolean;
  readonly isKeyMissing: boolean;
}

/** The central server, tried while its address is typed. */
export function ServerPane({ draft, tried, isFixed, isKeyMissing }: PaneProps) {
  const { setUp: said } = words.value;
  const { url, apiKey } = draft.value;
  const isRefused = tried.kind === 'tried' && tried.trial.outcome === 'keyRefused';
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
          onInput={(event) => change({ url: event.currentTarget.value })}
        />
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
            aria-invalid={isRefused}
            aria-describedby={isRefused ? 'server-key-fault' : undefined}
            onInput={(event) => change({ apiKey: event.currentTarget.value })}
          />
          {isRefused && <FieldFault id="server-key-fault" text={said.keyRefused} />}
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
  if (tried.kind === 'nothing') return null;
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
  const { outcome, answeredInMs, speaks, detail } = tried.trial;
  if (outcome === 'answers' || outcome === 'keyRefused') {
    return (
      <span class="ok" role="status">
        <Icon name="check" />
        {said.answers(number(answeredInMs), speaks)}
      </span>
    );
  }
  return <FieldFault text={`${said.faults[outcome]} ${detail ?? ''}`} />;
}

function FieldFault({ text, id }: { readonly text: string; readonly id?: string }) {
  return (
    <span class="err" role="alert" id={id}>
      <Icon name="held" />
      {text}
    </span>
  );
}
