import type { CentralPlant } from '../fakes/central-server.ts';

/** A plant file with a small warehouse, as JSON, which is YAML too. */

const COIL_TYPE = {
  coilTypeCode: 'CT-1',
  materialType: 'Steel',
  color: 'Red',
  gauge: 29,
  widthIn: 40.875,
  lbsPerFt: 1.9,
};

export interface TaskSeed {
  readonly taskId: string;
  readonly taskState?: 'Pending' | 'Ready' | 'InProcess' | 'InTransit' | 'Complete';
  readonly [field: string]: unknown;
}

/** The number of its API keys, because the requests of each are limited. */
const KEYS = 3;
const COIL_IDS = Array.from({ length: 6 }, (_, index) => `C-${index + 1}`);

export function keyOf(index: number): string {
  return `warehouse-key-${index % KEYS}-0123456789`;
}

/** `RF-01` is licensed, `RF-02` is not; the coils lie at WH-A1, `C-bare` without an extended record. */
export function warehousePlant(tasks: readonly TaskSeed[], coilIds: readonly string[] = COIL_IDS): string {
  return JSON.stringify({
    locations: ['WH-A1', 'WH-A2', 'WH-A3', 'RF-01'].map((code) => ({ code, name: code, category: 'Warehouse' })),
    machines: [
      { machineId: 'RF-01', topicRoot: 'plant1/rf-01', location: 'RF-01', claims: ['service.machine.warehouse'] },
      { machineId: 'RF-02', topicRoot: 'plant1/rf-02' },
    ],
    reasonCodes: [
      { id: 'OR-1', codeSet: 'OverrideReasons', reason: 'Preferred coil damaged' },
      { id: 'UR-1', codeSet: 'UnattainableReasons', reason: 'Coil not found' },
    ],
    coils: [
      ...coilIds.map((coilId) => ({
        coilId,
        location: 'WH-A1',
        gauge: 29,
        widthIn: 40.875,
        lengthStartFt: 5_000,
        lengthRemainingFt: 4_200.5,
      })),
      { coilId: 'C-bare', location: 'WH-A1' },
    ],
    tasks: tasks.map((task) => ({
      machineId: 'RF-01',
      taskType: 'WarehouseToMachine',
      coilType: COIL_TYPE,
      requiredFt: 1_200.5,
      sourceLocation: 'WH-A1',
      destinationLocation: 'RF-01',
      requiredDate: '2026-03-01T12:00:00Z',
      ...task,
    })),
    apiKeys: Array.from({ length: KEYS }, (_, index) => ({
      principal: `forklift-${index}`,
      role: 'business',
      key: keyOf(index),
    })),
  });
}

/** The same tasks and coils as a central server has them. */
export function stockCentral(
  plant: CentralPlant,
  tasks: readonly TaskSeed[],
  coilIds: readonly string[] = COIL_IDS,
): void {
  const stock = JSON.parse(warehousePlant(tasks, coilIds));
  plant.locations = stock.locations;
  plant.reasonCodes = stock.reasonCodes;
  for (const { machineId, ...task } of stock.tasks) {
    const dates = { availableDate: null, startedDate: null, completedDate: null };
    const untouched = { selectedCoilId: null, preferredCoilIds: [], userName: null };
    plant.tasks.set(task.taskId, { ...dates, ...untouched, ...task });
  }
  for (const coil of stock.coils) plant.coils.set(coil.coilId, { isComplete: false, ...coil });
}
