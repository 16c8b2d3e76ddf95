import type { StatusFieldName } from '../../domain/machine/status/status-fields.ts';
import { operatorOf, type SimulatedState } from './simulated-state.ts';

type Value = string | number | boolean;

/** The status of a machine by canonical field names (interface.md, Status). */
export function statusFields(state: SimulatedState): ReadonlyMap<StatusFieldName, Value> {
  const { machine, counters, job } = state;
  return new Map<StatusFieldName, Value>([
    ['machineId', machine.machineId],
    ['running', state.running],
    ['mSecSinceBoot', Math.floor(state.sinceBootMs)],
    ['cycle', counters.cycle],
    ['goodPart', counters.goodPart],
    ['badPart', counters.badPart],
    ['override', state.override],
    ['machinePower', state.machinePower],
    ['fault', state.stop?.kind === 'fault'],
    ['userId', operatorOf(state)],
    ['partId', job.part.partId],
    ['partName', job.part.partName],
    ['jobNumber', `J-${job.jobNumber}`],
  ]);
}

/** The status as the JSON that this machine's programmer chose to send. */
export function statusJson(state: SimulatedState): string {
  const { spelling } = state.machine;
  return JSON.stringify(
    Object.fromEntries([...statusFields(state)].map(([name, value]) => [spelling[name] ?? name, value])),
  );
}
