import type { Coil, Task } from '../../../../domain/plant/plant.ts';
import { PLANT_CODECS } from '../../../../domain/plant/plant-codecs.ts';
import { mergedRecord } from '../../../../domain/plant/plant-merge.ts';
import type { Seed } from '../../../../flows/warehouse/warehouse-ports.ts';

/** The record after a seed, which never changes its live state (contract.md, Plant file). */
export function seededCoil({ mode, entry }: Seed<'coils'>, existing: Coil | undefined): Coil {
  return mode === 'merge' ? mergedRecord('coils', entry, existing) : PLANT_CODECS.coils.record(entry, existing);
}

export function seededTask({ mode, entry }: Seed<'tasks'>, existing: Task | undefined): Task {
  return mode === 'merge' ? mergedRecord('tasks', entry, existing) : PLANT_CODECS.tasks.record(entry, existing);
}
