import { type Signal, useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type { ServerTrial } from '../../../flows/settings/settings-ports.ts';
import { call } from '../../api/call.ts';
import { type Fault, faultOf } from '../../app/tell-outcome.ts';
import { type Refusal, refusalOf } from '../../form/refusal.ts';
import { SERVER_FIELDS } from './settings.ts';

/** The outcome of the newest try. */
export type Tried =
  | { readonly kind: 'nothing' }
  | { readonly kind: 'trying' }
  | { readonly kind: 'tried'; readonly trial: ServerTrial }
  /** The address or the key cannot be one. */
  | { readonly kind: 'wrong'; readonly refusal: Refusal }
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
      const refusal = refusalOf(outcome, SERVER_FIELDS);
      if (outcome.kind === 'done') tried.value = { kind: 'tried', trial: outcome.value };
      else if (refusal !== null && refusal.ofField.size > 0) tried.value = { kind: 'wrong', refusal };
      else tried.value = { kind: 'failed', fault: faultOf(outcome, ''), onRepeat: () => (repeats.value += 1) };
    }, TYPING_PAUSE_MS);
    return () => {
      isCurrent = false;
      clearTimeout(timer);
    };
  }, [url, apiKey, repeats.value]);
  return tried;
}

/**
 * Whether the tried server may be kept: `doubtful` after a warning, because its network may not be there yet; `open` not
 * now. A server that refuses the key has answered, so the key is wrong.
 */
export function standingOf(tried: Tried): 'good' | 'doubtful' | 'open' {
  if (tried.kind !== 'tried' || tried.trial.outcome === 'keyRefused') return 'open';
  return tried.trial.outcome === 'answers' ? 'good' : 'doubtful';
}
