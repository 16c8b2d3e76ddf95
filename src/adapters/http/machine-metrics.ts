import { MACHINE_CONDITIONS } from '../../domain/machine/machine-condition.ts';
import { mapped, type SlicedWork } from '../../domain/sliced-work.ts';
import type { MachineNumbers } from '../../flows/device/machine-numbers.ts';

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
  const labels = yield* mapped(numbers, ({ machineId }) => `machineId="${escaped(machineId)}"`);
  const parts = [head('plantgate_machine_state', '1 for the state that a machine is in, else 0', 'gauge')];
  parts.push(
    ...(yield* mapped(numbers, ({ condition }, place) =>
      MACHINE_CONDITIONS.map(
        (state) => `plantgate_machine_state{${labels[place]},state="${state}"} ${state === condition ? 1 : 0}\n`,
      ).join(''),
    )),
  );
  for (const [name, help, key] of COUNTERS) {
    parts.push(head(name, help, 'counter'));
    parts.push(...(yield* mapped(numbers, (machine, place) => `${name}{${labels[place]}} ${machine[key]}\n`)));
  }
  return parts.join('');
}

function head(name: string, help: string, type: 'gauge' | 'counter'): string {
  return `\n# HELP ${name} ${help}\n# TYPE ${name} ${type}\n`;
}

/** As the text format of Prometheus wants the value of a label. */
function escaped(text: string): string {
  return text.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n');
}
