import type { GatewayView } from '../../../../flows/receive/gateway-view.ts';
import { pathOf } from '../../../app/route.ts';
import { isForAllPlants, mayRead } from '../../../people/who.ts';
import { gatewayName, needsAt } from '../../../plant/fleet.ts';
import { ownPlants, plantName, seesSeveral } from '../../../several-plants/own-plants.ts';
import { now } from '../../../show/clock.ts';
import { age, number, wholePercent } from '../../../show/format.ts';
import { Icon } from '../../../show/icon.tsx';
import { Link } from '../../../show/link.tsx';
import { fleetWords } from '../fleet-words.ts';
import { ofPlant } from '../production/fleet-scope.ts';

const AMOUNT = 'right nowrap';

interface RowsProps {
  readonly gateways: readonly GatewayView[];
  /** Plants without a gateway are shown too. */
  readonly isAll: boolean;
}

/** The gateways, where the server has several plants by plant: the plant of the worst comes first, one without any last. */
export function GatewayRows({ gateways, isAll }: RowsProps) {
  const plantsOfAll = isAll ? (ownPlants.value ?? []) : [];
  const plantIds = seesSeveral() ? [...new Set([...gateways, ...plantsOfAll].map(({ plantId }) => plantId))] : [null];
  const columns = Object.keys(fleetWords.value.columns).length;
  return (
    <>
      {plantIds.map((id) => {
        const own = gateways.filter(({ plantId }) => id === null || plantId === id);
        return (
          <tbody key={id}>
            {id !== null && (
              <tr>
                <th scope="rowgroup" colSpan={columns}>
                  <Link to={{ place: 'plants', production: ofPlant(id) }}>{plantName(id)}</Link>
                </th>
              </tr>
            )}
            {own.map((gateway) => (
              <Row key={gateway.gatewayId} gateway={gateway} />
            ))}
            {isAll && own.length === 0 && <EmptyPlant plantId={id} columns={columns} />}
          </tbody>
        );
      })}
    </>
  );
}

function Row({ gateway }: { readonly gateway: GatewayView }) {
  const { columns } = fleetWords.value;
  const { gatewayId, name, health, contact, lastContactAt, troubles } = gateway;
  const needs = needsAt(gateway).length;
  const kinds = new Set(troubles.map(({ kind }) => kind));
  const cell = (column: string, text: string, isBad: boolean, shown = 'nowrap') => (
    <td data-k={column} class={isBad ? `${shown} mark-amber` : shown}>
      {isBad && <Icon name="warn" />} {text}
    </td>
  );
  return (
    <tr>
      <td>
        <Link to={{ place: 'plants', gatewayId }}>{gatewayName(gateway)}</Link>
        {name !== null && <p class="dim small">{gatewayId}</p>}
        {troubles.map((trouble) => (
          <OtherTrouble key={trouble.kind} {...trouble} />
        ))}
      </td>
      <td data-k={columns.need} class={needs > 0 ? 'mark-red' : 'dim'}>
        {needs > 0 && <Icon name="held" />} {needs === 0 && contact.state === 'silent' ? '–' : needs}
      </td>
      {cell(columns.contact, age(now.value - Date.parse(lastContactAt)), kinds.has('silent'))}
      {cell(columns.waiting, health === null ? '–' : number(health.queue.records), kinds.has('queue'), AMOUNT)}
      {cell(columns.clock, clockText(gateway), kinds.has('clock'), AMOUNT)}
      {cell(columns.disk, diskText(gateway), kinds.has('disk'), AMOUNT)}
      {cell(columns.version, health?.version ?? '–', kinds.has('version'))}
    </tr>
  );
}

/** A trouble that no column shows. */
function OtherTrouble({ kind, value }: GatewayView['troubles'][number]) {
  const { setAside, noBackup, backup, certificateEnded, certificate } = fleetWords.value.troubles;
  const texts: Readonly<Partial<Record<typeof kind, string>>> = {
    setAside: setAside(number(value ?? 0)),
    backup: value === null ? noBackup : backup(age(value)),
    certificate: value === null || value <= 0 ? certificateEnded : certificate(age(value)),
  };
  const text = texts[kind];
  if (text === undefined) return null;
  return (
    <p class="mark-amber small">
      <Icon name="warn" /> {text}
    </p>
  );
}

interface EmptyPlantProps {
  /** Null at a server with one plant. */
  readonly plantId: string | null;
  readonly columns: number;
}

/** The row of a plant without a gateway: it says how one comes, and leads there who may make keys. */
function EmptyPlant({ plantId, columns }: EmptyPlantProps) {
  const { none, noneHint, addKey } = fleetWords.value.several;
  return (
    <tr>
      <td colSpan={columns}>
        {none}. <span class="dim">{noneHint}</span>{' '}
        {mayRead('admin') && isForAllPlants() && (
          <a class="nowrap" href={pathOf({ place: 'admin', tab: 'keys' }, plantId ?? undefined)}>
            {addKey}
            <Icon name="right" />
          </a>
        )}
      </td>
    </tr>
  );
}

/** How much of the disk is free. */
export function diskText({ health }: GatewayView): string {
  return health?.disk ? wholePercent(health.disk.freePercent / 100) : '–';
}

export function clockText({ health }: GatewayView): string {
  const clock = health?.clock ?? null;
  return clock === null ? '–' : `${number(Math.round(clock.aheadMs / 100) / 10 + 0, 1)} s`;
}
