import type { GatewayView } from '../../../../flows/receive/gateway-view.ts';
import { pathOf } from '../../../app/route.ts';
import { isForAllPlants, mayRead } from '../../../people/who.ts';
import { gatewayName, needsAt } from '../../../plant/fleet.ts';
import { ownPlants, plantName, seesSeveral } from '../../../several-plants/own-plants.ts';
import { now } from '../../../show/clock.ts';
import { age, number } from '../../../show/format.ts';
import { Icon } from '../../../show/icon.tsx';
import { Link } from '../../../show/link.tsx';
import { fleetWords } from '../fleet-words.ts';
import { ofPlant } from '../production/fleet-scope.ts';

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

export function clockText({ health }: GatewayView): string {
  const clock = health?.clock ?? null;
  return clock === null ? '–' : `${number(Math.round(clock.aheadMs / 100) / 10 + 0, 1)} s`;
}
