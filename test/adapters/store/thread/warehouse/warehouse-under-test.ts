import type { Coil, Task } from '../../../../../src/domain/plant/plant.ts';
import { PLANT_CODECS } from '../../../../../src/domain/plant/plant-codecs.ts';
import type { PlantEntries } from '../../../../../src/domain/plant/plant-entry.ts';
import type { CoilSearch, JsonText, TaskFilter } from '../../../../../src/flows/warehouse/warehouse-ports.ts';

/** Coils, tasks and questions about them, with defaults for the fields that a test does not need. */

export function coilOf(entry: Partial<Coil> & { readonly coilId: string }): Coil {
  return PLANT_CODECS.coils.record({ location: 'WH-A1', ...entry }, undefined);
}

export const COIL_TYPE = {
  coilTypeCode: 'G26-WHT',
  materialType: 'Galvalume',
  color: 'White',
  gauge: 26,
  widthIn: 41.5625,
  lbsPerFt: 2.86,
};

export function taskEntryOf(entry: Partial<Task> & { readonly taskId: string }): PlantEntries['tasks'] {
  return {
    machineId: 'RF-01',
    taskType: 'WarehouseToMachine',
    taskState: 'Ready',
    coilType: COIL_TYPE,
    requiredFt: 1_200.5,
    sourceLocation: 'WH-A1',
    destinationLocation: 'RF-01',
    requiredDate: '2026-03-04T08:00:00Z',
    ...entry,
  };
}

export const ANY_COIL: CoilSearch = {
  materialCode: null,
  location: null,
  includeComplete: true,
  q: null,
  materialType: null,
  color: null,
  gauge: null,
  widthIn: null,
  minimumLengthFt: null,
  sort: { field: 'coilId', descending: false },
  skip: 0,
  take: 1_000,
};

export const ANY_TASK: TaskFilter = {
  machineIds: ['RF-01'],
  onlyIncomplete: false,
  taskState: null,
  taskType: null,
  destinationLocation: null,
  requiredAfter: null,
  requiredBefore: null,
  skip: 0,
  take: 1_000,
};

export function parsed<T>({ bytes }: JsonText): T {
  return JSON.parse(new TextDecoder().decode(bytes));
}
