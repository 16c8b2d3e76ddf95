import type { Changed, Outcome } from '../api/call.ts';
import { askForPerson } from '../people/asked.ts';
import { askWho, onlyShows, panelOf, who } from '../people/who.ts';
import { timeToTheSecond } from '../show/format.ts';
import { words } from '../words/words.ts';
import { showToast } from './toast.ts';

/** Says why an act was not done, in the gateway's own sentences. True: it was done. */
export function isDone<T>(outcome: Outcome<T>): outcome is Extract<Outcome<T>, { kind: 'done' }> {
  if (outcome.kind === 'done') return true;
  const { trouble } = words.value;
  const refusal = { isRefusal: true, undo: null } as const;
  if (outcome.kind === 'noAnswer') showToast({ ...refusal, text: trouble.noAnswer, more: '' });
  else if (outcome.status === 403 && panelOf(who.value) !== null) void askAtPanel();
  else if (outcome.status === 403) showToast({ ...refusal, text: trouble.notPermitted, more: '' });
  else if (outcome.changed !== null) showToast({ ...refusal, text: changedText(outcome.changed), more: '' });
  else if (outcome.status !== 401) showToast({ ...refusal, text: trouble.refused, more: outcome.errors.join(' ') });
  return false;
}

/** The second person learns who changed it, and when. */
export function changedText({ by, at }: Changed): string {
  return words.value.trouble.changedBy(by, timeToTheSecond(at));
}

/** A panel that was not touched for a while only shows. A person who wants to act signs in first. */
async function askAtPanel(): Promise<void> {
  await askWho();
  if (onlyShows(who.value)) return askForPerson();
  showToast({ text: words.value.trouble.notPermitted, more: '', isRefusal: true, undo: null });
}
