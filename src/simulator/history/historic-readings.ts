import type { Span } from '../../domain/machine/records.ts';
import { MINUTE_MS } from '../../domain/time.ts';
import type { SimulatedMachine } from '../machine/machine-design.ts';
import { drift, rounded, VARIABLE_NAMES } from '../machine/readings.ts';
import { AMBIENT_TEMPERATURE_F } from '../machine/simulated-state.ts';
import type { Random } from '../random.ts';

/** A controller sends more often. So few points show the same curves, and are written in a second. */
const READ_EVERY_MS = 4 * MINUTE_MS;

export interface HistoricReading {
  readonly name: (typeof VARIABLE_NAMES)[number];
  readonly at: number;
  readonly value: number;
}

/** The process variables of a shift, as they follow from the times in which the machine ran. */
export function historicReadings(
  spans: readonly Span[],
  machine: SimulatedMachine,
  random: Random,
): readonly HistoricReading[] {
  let readings = { lineSpeed: 0, motorTemp: AMBIENT_TEMPERATURE_F, hydraulicPressure: 0 };
  return spans.flatMap(({ activity, startedAt, endedAt }) => {
    const times = [startedAt];
    for (let at = startedAt + READ_EVERY_MS; at < (endedAt ?? startedAt); at += READ_EVERY_MS) times.push(at);
    return times.flatMap((at) => {
      readings = drift(
        { readings, running: activity === 'running', machinePower: true, machine },
        READ_EVERY_MS,
        random,
      );
      const values = rounded(readings);
      return VARIABLE_NAMES.map((name) => ({ name, at, value: values[name] }));
    });
  });
}
