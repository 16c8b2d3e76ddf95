import { signal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type { GatewayView } from '../../../flows/receive/gateway-view.ts';
import { call } from '../../api/call.ts';
import { fleet } from '../../plant/fleet.ts';
import { resource } from '../../plant/resource.ts';
import { Icon } from '../../show/icon.tsx';
import { language } from '../../words/words.ts';
import { fleetWords } from './fleet-words.ts';

const REFRESH_MS = 5_000;

/** The newest question about the gateways had an answer; null: the first waits for its answer. */
export const isAnswered = signal<boolean | null>(null);

const { load } = resource<readonly GatewayView[]>({
  ask: async () => {
    const outcome = await call<readonly GatewayView[]>('GET', '/gateways');
    if (outcome.kind !== 'done') isAnswered.value = false;
    return outcome;
  },
  show: (gateways) => {
    fleet.value = gateways;
    isAnswered.value = true;
  },
});

/** The gateways, loaded again and again while the place is shown. */
export function useFleet(): readonly GatewayView[] {
  useEffect(() => {
    void load();
    const timer = setInterval(() => !document.hidden && void load(), REFRESH_MS);
    return () => clearInterval(timer);
  }, []);
  return fleet.value;
}

/** Without an answer, an empty list does not say that there are no gateways, and a full one is old. */
export function OldNews() {
  if (isAnswered.value !== false) return null;
  return (
    <p class="mark-amber" role="status">
      <Icon name="warn" /> {fleetWords.value.old}
    </p>
  );
}

/** The troubles of a gateway as sentences, in the language of the page. */
export function sentencesAt({ troubles }: GatewayView): readonly string[] {
  return troubles.map(({ sentence }) => sentence[language.value]);
}

/** Its version is behind. */
export function isOlder({ troubles }: GatewayView): boolean {
  return troubles.some(({ kind }) => kind === 'version');
}
