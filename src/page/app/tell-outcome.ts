import type { Outcome } from '../api/call.ts';
import { words } from '../words/words.ts';
import { showToast } from './toast.ts';

/** Says why an act was not done, in the gateway's own sentences. True: it was done. */
export function isDone<T>(outcome: Outcome<T>): outcome is Extract<Outcome<T>, { kind: 'done' }> {
  if (outcome.kind === 'done') return true;
  const { trouble } = words.value;
  const refusal = { isRefusal: true, undo: null } as const;
  if (outcome.kind === 'noAnswer') showToast({ ...refusal, text: trouble.noAnswer, more: '' });
  else if (outcome.status === 403) showToast({ ...refusal, text: trouble.notPermitted, more: '' });
  else if (outcome.status !== 401) showToast({ ...refusal, text: trouble.refused, more: outcome.errors.join(' ') });
  return false;
}
