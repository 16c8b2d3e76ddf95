import type { Coil, Task } from './plant.ts';
import type { PlantCodec } from './plant-codec.ts';
import type { PlantEntries } from './plant-entry.ts';

/**
 * Coils and tasks hold live state, which has changed since they were configured. An entry seeds it and never resets it
 * (contract.md, Plant file).
 */

export const coilCodec: PlantCodec<'coils'> = {
  idField: 'coilId',
  id: ({ coilId }) => coilId,
  record: (entry, existing) => ({
    coilId: entry.coilId,
    materialCode: entry.materialCode ?? null,
    description: entry.description ?? null,
    materialType: entry.materialType ?? null,
    color: entry.color ?? null,
    gauge: entry.gauge ?? null,
    widthIn: entry.widthIn ?? null,
    lengthStartFt: entry.lengthStartFt ?? null,
    dateIn: entry.dateIn ?? null,
    vendorName: entry.vendorName ?? null,
    heatNumber: entry.heatNumber ?? null,
    purchaseOrder: entry.purchaseOrder ?? null,
    ...coilState(entry, existing),
  }),
  view: (coil) => coil,
  secrets: [],
};

function coilState(entry: PlantEntries['coils'], existing: Coil | undefined) {
  return {
    // An unknown field is no live state: an entry may still set it.
    lengthRemainingFt: existing?.lengthRemainingFt ?? entry.lengthRemainingFt ?? null,
    currentWeightLbs: existing?.currentWeightLbs ?? entry.currentWeightLbs ?? null,
    isComplete: existing?.isComplete ?? entry.isComplete ?? false,
    isStarted: existing?.isStarted ?? entry.isStarted ?? false,
    location: existing?.location ?? entry.location,
  };
}

export const taskCodec: PlantCodec<'tasks'> = {
  idField: 'taskId',
  id: ({ taskId }) => taskId,
  record: (entry, existing) => ({
    taskId: entry.taskId,
    machineId: entry.machineId,
    taskType: entry.taskType,
    coilType: entry.coilType,
    requiredFt: entry.requiredFt,
    sourceLocation: entry.sourceLocation,
    destinationLocation: entry.destinationLocation,
    requiredDate: entry.requiredDate,
    preferredCoilIds: entry.preferredCoilIds ?? [],
    ...taskState(existing ?? entry),
  }),
  view: (task) => task,
  secrets: [],
};

function taskState(task: Partial<Task>) {
  return {
    taskState: task.taskState ?? 'Pending',
    availableDate: task.availableDate ?? null,
    startedDate: task.startedDate ?? null,
    completedDate: task.completedDate ?? null,
    selectedCoilId: task.selectedCoilId ?? null,
    userName: task.userName ?? null,
    overrideReason: task.overrideReason ?? null,
    unattainableReason: task.unattainableReason ?? null,
  };
}
