import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type { GatewayView } from '../../../flows/receive/gateway-view.ts';
import { Frame } from '../../app/frame.tsx';
import { mayRead } from '../../people/who.ts';
import { fleet, gatewayName, loadFleet, needsAt } from '../../plant/fleet.ts';
import { ownPlants, plantName, seesSeveral } from '../../several-plants/own-plants.ts';
import { now } from '../../show/clock.ts';
import { age, number, timeOrDate } from '../../show/format.ts';
import { Icon } from '../../show/icon.tsx';
import { Link } from '../../show/link.tsx';
import { language, words } from '../../words/words.ts';
import { EmptyPlant } from './empty-plant.tsx';
import { fleetWords } from './fleet-words.ts';

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
          <Rows gateways={isAll.value ? all : bad} isAll={isAll.value} />
        </table>
      </section>
      <Needs gateways={needing} />
    </Frame>
  );
}

interface RowsProps {
  readonly gateways: readonly GatewayView[];
  /** Plants without a gateway are shown too. */
  readonly isAll: boolean;
}

/** The gateways, where the server has several plants by plant: the plant of the worst comes first, one without any last. */
function Rows({ gateways, isAll }: RowsProps) {
  const plantsOfAll = isAll ? (ownPlants.value ?? []) : [];
  const plantIds = seesSeveral() ? [...new Set([...gateways, ...plantsOfAll].map(({ plantId }) => plantId))] : [null];
  const columns = Object.keys(fleetWords.value.columns).length;
  return (
    <>
      {plantIds.map((ofPlant) => (
        <tbody key={ofPlant}>
          {ofPlant !== null && (
            <tr>
              <th scope="rowgroup" colSpan={columns}>
                {plantName(ofPlant)}
              </th>
            </tr>
          )}
          {gateways
            .filter(({ plantId }) => ofPlant === null || plantId === ofPlant)
            .map((gateway) => (
              <Row key={gateway.gatewayId} gateway={gateway} />
            ))}
          {ofPlant !== null && gateways.every(({ plantId }) => plantId !== ofPlant) && (
            <EmptyPlant plantId={ofPlant} columns={columns} />
          )}
        </tbody>
      ))}
    </>
  );
}

function Row({ gateway }: { readonly gateway: GatewayView }) {
  const { columns } = fleetWords.value;
  const { gatewayId, name, health, lastContactAt, troubles } = gateway;
  const needs = needsAt(gateway).length;
  const kinds = new Set(troubles.map(({ kind }) => kind));
  const cell = (column: string, text: string, isBad: boolean) => (
    <td data-k={column} class={isBad ? 'nowrap mark-amber' : ''}>
      {isBad && <Icon name="warn" />} {text}
    </td>
  );
  return (
    <tr>
      <td>
        <Link to={{ place: 'plants', gatewayId }}>{gatewayName(gateway)}</Link>
        {name !== null && <p class="dim small">{gatewayId}</p>}
      </td>
      <td data-k={columns.need} class={needs > 0 ? 'mark-red' : 'dim'}>
        {needs > 0 && <Icon name="held" />} {needs}
      </td>
      {cell(columns.contact, age(now.value - Date.parse(lastContactAt)), kinds.has('silent'))}
      {cell(columns.waiting, health === null ? '–' : number(health.queue.records), kinds.has('queue'))}
      {cell(columns.clock, clockText(gateway), kinds.has('clock'))}
      {cell(columns.disk, health?.disk ? `${number(health.disk.freePercent, 0)} %` : '–', kinds.has('disk'))}
      {cell(columns.version, health?.version ?? '–', kinds.has('version'))}
    </tr>
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

export function clockText({ health }: GatewayView): string {
  const clock = health?.clock ?? null;
  return clock === null ? '–' : `${number(Math.round(clock.aheadMs / 100) / 10 + 0, 1)} s`;
}
