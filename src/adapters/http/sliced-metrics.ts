import { clockError } from '../../domain/fleet/gateway-health.ts';
import { TROUBLE_KINDS } from '../../domain/fleet/trouble.ts';
import { MACHINE_CONDITIONS } from '../../domain/machine/machine-condition.ts';
import { mapped, type SlicedWork } from '../../domain/sliced-work.ts';
import type { MachineNumbers } from '../../flows/device/machine-numbers.ts';
import type { FleetGateway } from '../../flows/receive/fleet.ts';

const COUNTERS = [
  ['plantgate_machine_good_parts_total', 'Good parts of the present shift', 'goodParts'],
  ['plantgate_machine_bad_parts_total', 'Scrap of the present shift', 'badParts'],
  ['plantgate_machine_running_seconds_total', 'Time that it ran in the present shift', 'runningSeconds'],
] as const satisfies readonly (readonly [string, string, keyof MachineNumbers])[];

/**
 * The metrics of machines as text. The library would make it in one go: for thousands of machines that would delay
 * every one of them.
 */
export function* machineMetrics(machines: Iterable<MachineNumbers>): SlicedWork<string> {
  const numbers = [...machines];
  const labels = yield* mapped(numbers, ({ machineId }) => `machineId="${labelText(machineId)}"`);
  const parts = [metricHead('plantgate_machine_state', '1 for the state that a machine is in, else 0', 'gauge')];
  parts.push(
    ...(yield* mapped(numbers, ({ condition }, place) =>
      MACHINE_CONDITIONS.map(
        (state) => `plantgate_machine_state{${labels[place]},state="${state}"} ${state === condition ? 1 : 0}\n`,
      ).join(''),
    )),
  );
  for (const [name, help, key] of COUNTERS) {
    parts.push(metricHead(name, help, 'counter'));
    parts.push(...(yield* mapped(numbers, (machine, place) => `${name}{${labels[place]}} ${machine[key]}\n`)));
  }
  return parts.join('');
}

/** Null: it is not known of a gateway, which then has no such line. */
type Read = (gateway: FleetGateway) => number | null;

const NUMBERS: readonly (readonly [name: string, help: string, read: Read])[] = [
  ['last_contact_timestamp_seconds', 'Unix time of the last contact', ({ lastContactAt }) => lastContactAt / 1_000],
  ['machines', 'Machines that it has sent records of', ({ machines }) => machines],
  ['needs', 'Its machines that need a person', ({ health }) => health?.needs.length ?? null],
  ['open_alerts', 'Its open alerts', ({ health }) => health?.openAlerts ?? null],
  ['queue_records', 'Records and points that wait there', ({ health }) => health?.queue.records ?? null],
  ['queue_oldest_seconds', 'How old the oldest of them is', ({ health }) => seconds(health?.queue.oldestAgeMs)],
  ['set_aside', 'Its records that were refused here', ({ health }) => health?.setAside ?? null],
  ['clock_ahead_seconds', 'How far its clock is ahead, below 0 behind', aheadSeconds],
  ['disk_free_percent', 'Free part of its disk', ({ health }) => health?.disk?.freePercent ?? null],
  ['disk_least_percent', 'The limit that it has for that', ({ health }) => health?.disk?.leastPercent ?? null],
  ['backup_age_seconds', 'How old its newest backup is', ({ health }) => seconds(health?.backups?.newestAgeMs)],
  [
    'certificate_left_seconds',
    'Until its first certificate expires',
    ({ health }) => seconds(health?.certificateLeftMs),
  ],
];

/**
 * The metrics of gateways that send here as text, for the reason that those of machines are. Null: none can send. Only a
 * server with several plants has the label `plant`: to the others it would be a new series of each metric.
 */
export function* fleetMetrics(gateways: readonly FleetGateway[] | null, hasPlants: boolean): SlicedWork<string> {
  if (gateways === null) return '';
  const labels = yield* mapped(gateways, ({ gatewayId, plantId }) => {
    const plant = hasPlants ? `,plant="${labelText(plantId)}"` : '';
    return `gateway="${labelText(gatewayId)}"${plant}`;
  });
  const parts: string[] = [];
  for (const [name, help, read] of NUMBERS) {
    const metric = `plantgate_received_${name}`;
    parts.push(metricHead(metric, `${help}, by gateway that sends here`, 'gauge'));
    parts.push(
      ...(yield* mapped(gateways, (gateway, place) => {
        const value = read(gateway);
        return value === null ? '' : `${metric}{${labels[place]}} ${value}\n`;
      })),
    );
  }
  parts.push(
    metricHead('plantgate_received_trouble', '1 for what is wrong at a gateway that sends here, else 0', 'gauge'),
  );
  parts.push(
    ...(yield* mapped(gateways, ({ troubles }, place) =>
      TROUBLE_KINDS.map((kind) => {
        const isThere = troubles.some((trouble) => trouble.kind === kind);
        return `plantgate_received_trouble{${labels[place]},kind="${kind}"} ${isThere ? 1 : 0}\n`;
      }).join(''),
    )),
  );
  return parts.join('');
}

function aheadSeconds({ health }: FleetGateway): number | null {
  const exchange = health?.exchange ?? null;
  return exchange === null ? null : seconds(clockError(exchange).aheadMs);
}

function seconds(ms: number | null | undefined): number | null {
  return ms === null || ms === undefined ? null : ms / 1_000;
}

/** The first lines of a metric in the text format of Prometheus. */
function metricHead(name: string, help: string, type: 'gauge' | 'counter'): string {
  return `\n# HELP ${name} ${help}\n# TYPE ${name} ${type}\n`;
}

/** As that format wants the value of a label. */
function labelText(text: string): string {
  return text.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n');
}
