import { simulatedMachines } from '../../../simulator/machine/rolling-line.ts';
import { startSimulation } from '../../../simulator/simulation.ts';
import { type CommandIo, EXIT } from '../../command-io.ts';
import { numberOption } from '../../number-option.ts';
import { tellProgress } from './simulation-progress.ts';

/** The options as typed; undefined for an option that is not given. */
export interface SimulateOptions {
  readonly url?: string | undefined;
  readonly mqtt?: string | undefined;
  readonly machines?: string | undefined;
  readonly rate?: string | undefined;
}

export const MACHINES_RULE = { name: '--machines', min: 1, max: 5_000, kind: 'whole' } as const;
const RATE_RULE = { name: '--rate', min: 0.1, max: 100, kind: 'decimal' } as const;
export const DEFAULT_MACHINES = 6;
/** With more machines than this, single events are not printed. */
export const MAX_TOLD_MACHINES = 12;

/**
 * `plantgate simulate`: simulated machines against any gateway, until the signal. They are the machines of the sample plant
 * (RF-01, …) and keep trying while the gateway is away. Gives the exit code: 0, or 64 for wrong arguments.
 */
export async function runSimulate(options: SimulateOptions, io: CommandIo): Promise<number> {
  const count = numberOption(options.machines, MACHINES_RULE, DEFAULT_MACHINES);
  const rateHz = numberOption(options.rate, RATE_RULE, null);
  const complaints = [
    ...urlComplaints('--url', options.url, ['http:', 'https:']),
    ...urlComplaints('--mqtt', options.mqtt, ['mqtt:', 'mqtts:']),
    ...[count, rateHz].flatMap((option) => (option.ok ? [] : [option.sentence])),
  ];
  const { url, mqtt } = options;
  if (complaints.length > 0 || !count.ok || !rateHz.ok || url === undefined || mqtt === undefined) {
    for (const complaint of complaints) io.stderr(complaint);
    return EXIT.usage;
  }
  const isTold = count.value <= MAX_TOLD_MACHINES;
  const simulation = startSimulation({
    mqttUrl: mqtt,
    httpUrl: url,
    machines: simulatedMachines(count.value, { rateHz: rateHz.value }),
    log: (line) => {
      if (isTold) io.stdout(line);
    },
  });
  await tellProgress(simulation, io);
  await simulation.stop();
  io.stdout('simulation ended');
  return EXIT.done;
}

function urlComplaints(name: string, text: string | undefined, protocols: readonly string[]): readonly string[] {
  const expected = `an address such as ${protocols[0]}//127.0.0.1`;
  if (text === undefined) return [`${name}: found nothing, expected ${expected}`];
  if (URL.canParse(text) && protocols.includes(new URL(text).protocol)) return [];
  return [`${name}: found ${JSON.stringify(text)}, expected ${expected}`];
}
