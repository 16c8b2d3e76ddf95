import type { MachineState } from '../../domain/machine/machine-state.ts';
import type { Store } from '../store-ports.ts';
import type { MachineRegistry } from './machine-registry.ts';

/**
 * Records the times in which machines run in override. Called for every status; without a change it costs one
 * comparison.
 */
export function recordOverrides(registry: MachineRegistry, store: Pick<Store, 'record'>): void {
  registry.onChange(({ state }, _, before) => {
    const isOn = isOverridden(state);
    if (isOn === isOverridden(before)) return;
    const at = Math.round(state.asOf.wallMs);
    store.record([{ kind: 'override', override: { machineId: state.machineId, isOn, at } }]);
  });
}

/** The override of a machine that is silent, or not heard yet since a pause, is unknown and counts as off. */
function isOverridden({ known, silent, observedMs }: MachineState): boolean {
  return known.override === true && !silent && observedMs !== null;
}
