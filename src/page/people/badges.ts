import { call } from '../api/call.ts';
import { showDone } from '../app/toast.ts';
import { words } from '../words/words.ts';
import { asked } from './asked.ts';
import { panelOf, who } from './who.ts';

/**
 * Whether a scanned code is a badge. Only a panel looks for badges. For the badge of another person the page asks
 * whether that person goes on; the scan alone changes nothing.
 */
export async function isBadge(code: string): Promise<boolean> {
  const present = who.value;
  if (typeof present === 'string' || panelOf(present) === null) return false;
  const outcome = await call<{ readonly name: string | null }>('POST', '/panel/badge', { badge: code });
  if (outcome.kind !== 'done' || outcome.value.name === null) return false;
  const { name } = outcome.value;
  if (name === present.name) showDone(words.value.panel.ownBadge);
  else asked.value = { kind: 'another', badge: code, name };
  return true;
}
