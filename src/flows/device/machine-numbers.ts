import { conditionOf, type MachineCondition } from '../../domain/machine/machine-condition.ts';
import type { MachineRegistry } from './machine-registry.ts';

/** A machine for a monitoring system. The totals are those of the present shift, and begin anew with each. */
export interface MachineNumbers {
  readonly machineId: string;
  readonly condition: MachineCondition;
  readonly goodParts: number;
  readonly badParts: number;
  readonly runningSeconds: number;
}

/** The numbers of every machine, made one by one, because there may be thousands. */
export function* machineNumbers(registry: Pick<MachineRegistry, 'all'>): Iterable<MachineNumbers> {
  for (const { machine, state, refused } of registry.all()) {
    const { goodParts, badParts, runningMs } = state.shift.totals;
    const condition = conditionOf(state, refused !== null);
    yield { machineId: machine.machineId, condition, goodParts, badParts, runningSeconds: runningMs / 1_000 };
  }
}
