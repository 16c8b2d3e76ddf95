import type { Coil, Location, ReasonCode } from '../../../src/domain/plant/plant.ts';
import type { WarehouseTask } from '../../../src/domain/warehouse/task.ts';
import type { TaskSurroundings } from '../../../src/domain/warehouse/transition.ts';
import type { LegacyWrite } from '../../../src/flows/warehouse/warehouse-ports.ts';

/** A small warehouse for the tests of the domain and the flows. */

export const REASON_CODES: readonly ReasonCode[] = [
  { id: 'OR-1', codeSet: 'OverrideReasons', reason: 'Preferred coil damaged' },
  { id: 'OR-2', codeSet: 'OverrideReasons', reason: 'Preferred coil buried' },
  { id: 'UR-1', codeSet: 'UnattainableReasons', reason: 'Coil not found' },
  { id: 'UR-2', codeSet: 'UnattainableReasons', reason: 'Aisle blocked' },
];

export const LOCATIONS: readonly Location[] = [
  { code: 'WH-A1', name: 'Rack A1', category: 'Warehouse' },
  { code: 'WH-A2', name: 'Rack A2', category: 'Warehouse' },
  { code: 'RF-01', name: 'Rollformer 1', category: 'Machine' },
];

export function coilOf(coilId: string, overrides: Partial<Coil> = {}): Coil {
  return {
    coilId,
    materialCode: 'M-29-RED',
    description: '29 ga red',
    materialType: 'Steel',
    color: 'Red',
    gauge: 29,
    widthIn: 40.875,
    lengthStartFt: 5_000,
    lengthRemainingFt: 4_200.5,
    currentWeightLbs: 8_000,
    isComplete: false,
    isStarted: true,
    location: 'WH-A1',
    dateIn: '2026-01-05T08:00:00',
    vendorName: 'Mill',
    heatNumber: 'H-1',
    purchaseOrder: 'PO-1',
    ...overrides,
  };
}

export function taskOf(overrides: Partial<WarehouseTask> = {}): WarehouseTask {
  return {
    taskId: 'T-1',
    machineId: 'RF-01',
    taskType: 'WarehouseToMachine',
    taskState: 'Ready',
    coilType: {
      coilTypeCode: 'CT-1',
      materialType: 'Steel',
      color: 'Red',
      gauge: 29,
      widthIn: 40.875,
      lbsPerFt: 1.9,
    },
    requiredFt: 1_200.5,
    sourceLocation: 'WH-A1',
    destinationLocation: 'RF-01',
    requiredDate: '2026-03-01T12:00:00Z',
    availableDate: null,
    startedDate: null,
    completedDate: null,
    selectedCoilId: null,
    preferredCoilIds: ['C-1'],
    userName: null,
    overrideReason: null,
    unattainableReason: null,
    lastOperation: null,
    ...overrides,
  };
}

/** A write of coil C-1, from WH-A1 to WH-A2. */
export function writeOf(overrides: Partial<LegacyWrite> = {}): LegacyWrite {
  return {
    operationId: 'op-1',
    coilId: 'C-1',
    location: 'WH-A2',
    previousLocation: 'WH-A1',
    startedAt: 0,
    principal: 'erp',
    purpose: { type: 'move' },
    ...overrides,
  };
}

export const WALL_MS = Date.UTC(2026, 2, 1, 6, 30);
export const NOW = '2026-03-01T06:30:00.000Z';

export function surroundingsOf(overrides: Partial<TaskSurroundings> = {}): TaskSurroundings {
  return {
    isLicensed: true,
    principal: 'erp',
    wallMs: WALL_MS,
    reasonCodes: REASON_CODES,
    isLocation: (code) => LOCATIONS.some((location) => location.code === code),
    coil: coilOf('C-1'),
    enforcesSourceStates: true,
    ...overrides,
  };
}
