import { whenNotPermitted } from '../api/call.ts';
import { showToast } from '../app/toast.ts';
import { words } from '../words/words.ts';
import { type Asked, asked } from './asked.ts';
import { askWho, nameOf, onlyShows, panelOf, who } from './who.ts';

/** At a panel an act waits this long for a person. After that somebody else may stand there. */
const WAITS_MS = 60_000;

/** An act that was tapped before anybody was signed in is done after the badge, the PIN or the password. */
export function followActs(): void {
  whenNotPermitted((status) => (status === 401 ? waitForSamePerson() : waitAtPanel()));
}

type Next = 'again' | 'told' | 'no';

/** Asks for a person at a panel where nobody is signed in. The act is done if one signs in soon. */
async function waitAtPanel(): Promise<Next> {
  if (panelOf(who.value) === null) return 'no';
  await askWho();
  if (!onlyShows(who.value)) return 'no';
  const sinceMs = performance.now();
  asked.value = { kind: 'person', isForAct: true };
  await answerTo('person');
  const { nobodyHint, notDone, tooLate, tooLateHint } = words.value.panel;
  const isLate = performance.now() - sinceMs > WAITS_MS;
  if (onlyShows(who.value)) showToast({ text: nobodyHint, more: notDone, isRefusal: true, undo: null });
  else if (isLate) showToast({ text: tooLate, more: tooLateHint, isRefusal: true, undo: null });
  else return 'again';
  return 'told';
}

/** The session had ended: the act is done if the same person signs in again. */
async function waitForSamePerson(): Promise<Next> {
  if (asked.value.kind !== 'ended') return 'no';
  const name = nameOf(who.value);
  await answerTo('ended');
  return typeof who.value === 'object' && nameOf(who.value) === name && !onlyShows(who.value) ? 'again' : 'no';
}

/** Waits until a question is not asked any more. */
function answerTo(kind: Asked['kind']): Promise<void> {
  return new Promise((resolve) => {
    const leave = asked.subscribe(({ kind: present }) => {
      if (present === kind) return;
      resolve();
      // The first call comes before `leave` is known, and is never the answer.
      leave();
    });
  });
}
