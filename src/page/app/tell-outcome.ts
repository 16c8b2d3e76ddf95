import type { Changed, Outcome } from '../api/call.ts';
import { askWho, onlyShows, panelOf, who } from '../people/who.ts';
import { timeToTheSecond } from '../show/format.ts';
import { words } from '../words/words.ts';
import { endRefusal, showToast } from './toast.ts';

/**
 * Tells the person why a call was refused or not answered, and ends an earlier refusal when an act was done. True: it was
 * done. `subject`: the record of the act, where a place has several.
 */
export function isDone<T>(outcome: Outcome<T>, subject = ''): outcome is Extract<Outcome<T>, { kind: 'done' }> {
  if (outcome.kind === 'done') {
    if (outcome.isAct === true) endRefusal();
    return true;
  }
  const status = outcome.kind === 'refused' ? outcome.status : null;
  if (status === 403 && panelOf(who.value) !== null) void tellAtPanel();
  else if (status === 403) tellNotPermitted();
  else if (status !== 401) tellFault(faultOf(outcome), subject);
  return false;
}

function tellFault({ text, more }: Fault, subject: string): void {
  showToast({ text: subject === '' ? text : `${subject}: ${text}`, more, isRefusal: true, undo: null });
}

/** The reason why an act or a load was not done. */
export interface Fault {
  /** Why, what is unchanged, what to do. */
  readonly text: string;
  /** The gateway's own words, or more of what to do. */
  readonly more: string;
}

/** `noAnswerHint`: what to do where no answer to an act came. */
export function faultOf(
  outcome: Exclude<Outcome<unknown>, { kind: 'done' }>,
  noAnswerHint = words.value.trouble.noAnswerHint,
): Fault {
  const { trouble } = words.value;
  if (outcome.kind === 'noAnswer' && !outcome.isAct) return { text: trouble.notLoaded, more: trouble.notLoadedHint };
  if (outcome.kind === 'noAnswer') return { text: trouble.noAnswer, more: noAnswerHint };
  if (outcome.changed !== null) return { text: changedText(outcome.changed), more: trouble.changedHint };
  return { text: refusalText(outcome.status), more: outcome.errors.map(trouble.gatewayWords).join(' ') };
}

/** The outcome of a call for a record that does not exist any more. */
export function isMissing(outcome: Outcome<unknown>): boolean {
  return outcome.kind === 'refused' && outcome.status === 404;
}

const SERVICE_UNAVAILABLE = 503;

/** Why the gateway refused, what is unchanged, what to do. */
export function refusalText(status: number): string {
  const { refusals, refused, syncSaysWhy } = words.value.trouble;
  const text = Object.entries(refusals).find(([code]) => Number(code) === status)?.[1] ?? refused;
  // Only a person who is signed in sees Sync.
  return status === SERVICE_UNAVAILABLE && typeof who.value !== 'string' ? `${text} ${syncSaysWhy}` : text;
}

function tellNotPermitted(): void {
  const { notPermitted, asTechnician, asSupervisor } = words.value.trouble;
  const isViewer = typeof who.value !== 'string' && who.value.role === 'viewer';
  showToast({ text: notPermitted, more: isViewer ? asTechnician : asSupervisor, isRefusal: true, undo: null });
}

/** The sentence for a person whose act was refused because another person changed the record: who, and when. */
export function changedText({ by, at }: Changed): string {
  return words.value.trouble.changedBy(by, timeToTheSecond(at));
}

/** A panel at which nobody is signed in can only read. If the page itself loaded something there, it tells nothing. */
async function tellAtPanel(): Promise<void> {
  await askWho();
  if (!onlyShows(who.value)) tellNotPermitted();
}
