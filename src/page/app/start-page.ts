import { followSilence, followVisibility } from '../api/live.ts';
import { followTouches } from '../people/touches.ts';
import { followActs } from '../people/waiting-acts.ts';
import { beginSession, followSession, mayKnowDamage, mayRead } from '../people/who.ts';
import { followAlerts } from '../plant/alerts.ts';
import { followDamage } from '../plant/damaged-database.ts';
import { followFleet } from '../plant/fleet.ts';
import { followLateWrites } from '../plant/late-writes.ts';
import { followMachines } from '../plant/machines.ts';
import { followPlant } from '../plant/plant.ts';
import { followStops } from '../plant/stops.ts';
import { followTasks } from '../plant/tasks.ts';
import { followScans } from '../scan/scanned.ts';
import { followScanner } from '../scan/wedge.ts';
import { followSeveralPlants } from '../several-plants/several-plants.ts';
import { startClock } from '../show/clock.ts';
import { language } from '../words/words.ts';
import { followHistory } from './route.ts';
import { followTheme } from './theme.ts';
import { followClosing } from './unsaved.ts';

/** Whether somebody is signed in: all others see Andon at most. */
const isKnown = () => mayRead('viewer');

/** Everything that the page listens to, once. */
export function startPage(): void {
  document.documentElement.lang = language.value;
  followTheme();
  followHistory();
  followClosing();
  followVisibility();
  followSilence();
  followMachines();
  followPlant(isKnown);
  followStops(isKnown);
  followDamage(mayKnowDamage);
  followTasks(isKnown);
  followLateWrites(isKnown);
  followAlerts(isKnown);
  followFleet();
  followSeveralPlants(async () => (await import('../several-plants/plant-parts.tsx')).PLANT_PARTS);
  followScanner();
  followScans();
  followSearchKey();
  followDoubleClicks();
  followSession();
  followActs();
  followTouches();
  startClock();
  void beginSession();
}

/** Keys of a scan follow each other faster than this. */
const PAUSE_MS = 100;

let waiting: ReturnType<typeof setTimeout> | undefined;

/** The key / goes to the search field of the place. A scanned code may hold a / as well, with more keys at once. */
function followSearchKey(): void {
  document.addEventListener('keydown', ({ key, target, ctrlKey, metaKey, altKey }) => {
    clearTimeout(waiting);
    if (key !== '/' || ctrlKey || metaKey || altKey || target instanceof HTMLInputElement) return;
    if (target instanceof HTMLTextAreaElement || document.querySelector('dialog[open]') !== null) return;
    waiting = setTimeout(() => document.querySelector<HTMLInputElement>('.find input')?.focus(), PAUSE_MS);
  });
}

/** The second click of a double click does nothing in a sheet that the first opened, or behind one that it closed. */
function followDoubleClicks(): void {
  let first: unknown = false;
  const follow = (event: MouseEvent) => {
    const sheet = event.target instanceof Element && event.target.closest('dialog');
    if (event.detail < 2) first = sheet;
    else if (sheet !== first) {
      event.stopPropagation();
      event.preventDefault();
    }
  };
  document.addEventListener('click', follow, true);
}
