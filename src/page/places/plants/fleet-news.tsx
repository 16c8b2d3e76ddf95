import { signal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type { SystemView } from '../../../flows/local-api/system-ports.ts';
import type { GatewayView } from '../../../flows/receive/gateway-view.ts';
import { call, type Outcome } from '../../api/call.ts';
import { useResource } from '../../app/use-resource.ts';
import { mayRead } from '../../people/who.ts';
import { fleet } from '../../plant/fleet.ts';
import { resource } from '../../plant/resource.ts';
import { Icon } from '../../show/icon.tsx';
import { language } from '../../words/words.ts';
import { fleetWords } from './fleet-words.ts';

const REFRESH_MS = 5_000;
const RISKS_EVERY_MS = 30_000;

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

/** The risks of the database of a central server, for supervisors and above (D-89). Nothing is shown while it is sound. */
export function DatabaseRisks() {
  const risks = useResource('risks', askRisks, { everyMs: RISKS_EVERY_MS }).value ?? [];
  const { title, hint } = fleetWords.value.risks;
  if (risks.length === 0) return null;
  return (
    <section class="pane stack" aria-label={title}>
      <h2 class="h3 note-line">
        <Icon name="warn" />
        {title}
      </h2>
      <ul>
        {risks.map((risk) => (
          <li key={risk} lang="en">
            {risk}
          </li>
        ))}
      </ul>
      <p class="dim">{hint}</p>
    </section>
  );
}

async function askRisks(): Promise<Outcome<readonly string[]>> {
  if (!mayRead('supervisor')) return { kind: 'done', value: [] };
  const outcome = await call<SystemView>('GET', '/system');
  return outcome.kind === 'done' ? { kind: 'done', value: outcome.value.disk.risks } : outcome;
}

/** The troubles of a gateway as sentences, in the language of the page. */
export function sentencesAt({ troubles }: GatewayView): readonly string[] {
  return troubles.map(({ sentence }) => sentence[language.value]);
}

/** Its version is behind. */
export function isOlder({ troubles }: GatewayView): boolean {
  return troubles.some(({ kind }) => kind === 'version');
}
