import type { GatewayView } from '../../../flows/receive/gateway-view.ts';
import { gatewayName, needsAt } from '../../plant/fleet.ts';
import { seesSeveral } from '../../several-plants/own-plants.ts';
import { now } from '../../show/clock.ts';
import { age, timeOrDate } from '../../show/format.ts';
import { Icon } from '../../show/icon.tsx';
import { Link } from '../../show/link.tsx';
import { STATE_ICONS } from '../../show/state-icons.ts';
import { words } from '../../words/words.ts';
import { fleetWords } from './fleet-words.ts';

/** How many machines of how many plants need a person. Where the server has one plant, a gateway counts as a plant. */
export function needsAnswer(gateways: readonly GatewayView[]): string {
  const needing = gateways.filter((one) => needsAt(one).length > 0);
  const machines = needing.reduce((sum, one) => sum + needsAt(one).length, 0);
  const plants = new Set(needing.map(({ gatewayId, plantId }) => (seesSeveral() ? plantId : gatewayId))).size;
  const { nobody, one } = words.value.andon;
  if (machines === 0) return nobody;
  return machines === 1 ? one : fleetWords.value.needIn(machines, plants);
}

/** Whether the gateway or one of its machines has a trouble. */
export function needsLook(gateway: GatewayView): boolean {
  return gateway.troubles.length + needsAt(gateway).length > 0;
}

interface NeedsProps {
  readonly gateways: readonly GatewayView[];
  /** They are named. */
  readonly isOfSeveral?: boolean;
}

/** The machines that need a person; each leads to what it did. */
export function Needs({ gateways, isOfSeveral = true }: NeedsProps) {
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
                <Link to={{ place: 'plants', production: `${gateway.gatewayId}/${machineId}` }}>{name}</Link>
              </td>
              {isOfSeveral && (
                <td>
                  <Link to={{ place: 'plants', gatewayId: gateway.gatewayId }}>{gatewayName(gateway)}</Link>
                </td>
              )}
              <td class="mark-red">
                <Icon name={STATE_ICONS[need]} /> {states[need]}
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
