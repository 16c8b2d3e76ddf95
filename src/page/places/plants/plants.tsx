import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type { GatewayView } from '../../../flows/receive/gateway-view.ts';
import { Frame } from '../../app/frame.tsx';
import { mayRead } from '../../people/who.ts';
import { fleet, gatewayName, loadFleet, needsAt } from '../../plant/fleet.ts';
import { now } from '../../show/clock.ts';
import { age, timeOrDate } from '../../show/format.ts';
import { Icon } from '../../show/icon.tsx';
import { Link } from '../../show/link.tsx';
import { language, words } from '../../words/words.ts';
import { fleetWords } from './fleet-words.ts';
import { GatewayRows } from './gateway/gateway-rows.tsx';

const REFRESH_MS = 5_000;
/** Troubles that the headline names. */
const NAMED = 2;

/** The gateways, loaded again and again while the place is shown. */
export function useFleet(): readonly GatewayView[] {
  useEffect(() => {
    loadFleet();
    const timer = setInterval(() => !document.hidden && loadFleet(), REFRESH_MS);
    return () => clearInterval(timer);
  }, []);
  return fleet.value;
}

/** The place Plants: which gateway needs help, the worst first. */
export function Plants() {
  const isAll = useSignal(true);
  const texts = fleetWords.value;
  const { andon, places } = words.value;
  const all = useFleet();
  const bad = all.filter((one) => one.troubles.length + needsAt(one).length > 0);
  const needing = all.filter((one) => needsAt(one).length > 0);
  const machines = needing.reduce((sum, one) => sum + needsAt(one).length, 0);
  const sentences = all.flatMap(sentencesAt).slice(0, NAMED);
  return (
    <Frame
      answer={needing.length === 0 ? andon.nobody : machines === 1 ? andon.one : andon.many(machines)}
      more={sentences.map((text) => `${text}.`).join(' ')}
    >
      <div class="ask">
        <div class="seg" role="group" aria-label={places.plants}>
          <button type="button" aria-pressed={isAll.value} onClick={() => (isAll.value = true)}>
            {texts.all(all.length)}
          </button>
          <button type="button" aria-pressed={!isAll.value} onClick={() => (isAll.value = false)}>
            {texts.look(bad.length)}
          </button>
        </div>
        <Link to={{ place: 'plants', production: '' }} class="btn push">
          {texts.production.title}
          <Icon name="right" />
        </Link>
        {mayRead('supervisor') && (
          <Link to={{ place: 'plants', groups: '' }} class="btn">
            {texts.groups.title}
            <Icon name="right" />
          </Link>
        )}
      </div>
      <section class="pane flush" aria-label={places.plants}>
        <table class="table cards-s">
          <thead>
            <tr>
              {Object.values(texts.columns).map((column) => (
                <th key={column}>{column}</th>
              ))}
            </tr>
          </thead>
          <GatewayRows gateways={isAll.value ? all : bad} isAll={isAll.value} />
        </table>
      </section>
      <Needs gateways={needing} />
    </Frame>
  );
}

/** The machines that need a person, of several gateways. */
export function Needs({ gateways }: { readonly gateways: readonly GatewayView[] }) {
  const rows = gateways.flatMap((gateway) => needsAt(gateway).map((need) => ({ gateway, need })));
  const { states, trouble } = words.value;
  const { columns } = fleetWords.value;
  if (rows.length === 0) return null;
  return (
    <section class="pane flush" aria-label={columns.need}>
      <h2 class="h3 head">{columns.need}</h2>
      <table class="table cards-s">
        <tbody>
          {rows.map(({ gateway, need: { machineId, name, need, since } }) => (
            <tr key={`${gateway.gatewayId} ${machineId}`}>
              <td>
                <b>{name}</b>
              </td>
              <td>{gatewayName(gateway)}</td>
              <td>
                {states[need]}
                {gateway.contact.since !== null && `, ${trouble.asOf(timeOrDate(gateway.contact.since))}`}
              </td>
              <td>{since !== null && age(now.value - Date.parse(since))}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

export function sentencesAt({ troubles }: GatewayView): readonly string[] {
  return troubles.map(({ sentence }) => sentence[language.value]);
}
