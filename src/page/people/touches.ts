import { call } from '../api/call.ts';
import { onlyShows, panelOf, signOut, who } from './who.ts';

/** The gateway ends a panel's session after the same time. */
const IDLE_MS = 5 * 60_000;
const TELL_EVERY_MS = 30_000;
const LOOK_EVERY_MS = 5_000;

let touchedAtMs = performance.now();
let toldAtMs = Number.NEGATIVE_INFINITY;

/** At a panel a touch prolongs the session; a load by the page itself does not. */
export function followTouches(): void {
  for (const kind of ['pointerdown', 'keydown']) document.addEventListener(kind, touch, { capture: true });
  setInterval(() => {
    if (isAtPanel() && performance.now() - touchedAtMs >= IDLE_MS) void signOut();
  }, LOOK_EVERY_MS);
}

function touch(): void {
  touchedAtMs = performance.now();
  if (!isAtPanel() || touchedAtMs - toldAtMs < TELL_EVERY_MS) return;
  toldAtMs = touchedAtMs;
  void call('PUT', '/session', {});
}

/** A person is signed in at a panel. */
function isAtPanel(): boolean {
  return panelOf(who.value) !== null && !onlyShows(who.value);
}
