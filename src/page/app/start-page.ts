import { followSilence, followVisibility } from '../api/live.ts';
import { followTouches } from '../people/touches.ts';
import { beginSession, followSession, mayKnowDamage, mayRead } from '../people/who.ts';
import { followDamage } from '../plant/damaged-database.ts';
import { followLateWrites } from '../plant/late-writes.ts';
import { followMachines } from '../plant/machines.ts';
import { followPlant } from '../plant/plant.ts';
import { followStops } from '../plant/stops.ts';
import { followTasks } from '../plant/tasks.ts';
import { followScans } from '../scan/scanned.ts';
import { followScanner } from '../scan/wedge.ts';
import { startClock } from '../show/clock.ts';
import { language } from '../words/words.ts';
import { followHistory } from './route.ts';
import { followSearchKey } from './search-key.ts';
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
  followScanner();
  followScans();
  followSearchKey();
  followSession();
  followTouches();
  startClock();
  void beginSession();
}
