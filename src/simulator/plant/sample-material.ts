import type { CoilType, Task } from '../../domain/plant/plant.ts';
import type { PlantEntries } from '../../domain/plant/plant-entry.ts';
import { HOUR_MS } from '../../domain/time.ts';

export const RACKS = ['WH-A1', 'WH-A2', 'WH-B1'] as const;

export const MATERIALS: readonly [CoilType, ...CoilType[]] = [
  { coilTypeCode: 'G26-WHT', materialType: 'Galvalume', color: 'White', gauge: 26, widthIn: 41.5625, lbsPerFt: 2.86 },
  { coilTypeCode: 'G29-RED', materialType: 'Galvalume', color: 'Barn red', gauge: 29, widthIn: 43, lbsPerFt: 2.31 },
  { coilTypeCode: 'G24-GRY', materialType: 'Galvanized', color: 'Charcoal', gauge: 24, widthIn: 20, lbsPerFt: 1.72 },
  { coilTypeCode: 'G16-PLN', materialType: 'Galvanized', color: 'Plain', gauge: 16, widthIn: 13.25, lbsPerFt: 2.95 },
];

const VENDORS = ['Great Lakes Coil', 'Ohio Valley Steel', 'Summit Metals'];

/** Two coils in the racks for each machine. */
export function sampleCoils(machines: number, nowMs: number): readonly PlantEntries['coils'][] {
  return Array.from({ length: machines * 2 }, (_, place) => {
    const type = materialAt(place);
    const lengthStartFt = 3_000 + ((place * 370) % 3_000);
    return {
      coilId: coilIdAt(place),
      materialCode: type.coilTypeCode,
      description: `${type.gauge} ga ${type.color}`,
      materialType: type.materialType,
      color: type.color,
      gauge: type.gauge,
      widthIn: type.widthIn,
      lengthStartFt,
      lengthRemainingFt: lengthStartFt,
      currentWeightLbs: Math.round(lengthStartFt * type.lbsPerFt),
      isComplete: false,
      isStarted: false,
      location: rackAt(place),
      dateIn: new Date(nowMs - (24 + place) * HOUR_MS).toISOString().slice(0, 19),
      vendorName: VENDORS[place % VENDORS.length] ?? null,
      heatNumber: `H${83_000 + place * 17}`,
      purchaseOrder: `PO-${5_100 + Math.floor(place / 4)}`,
    };
  });
}

/** For each machine a coil to bring, by turns ready, in preparation and one to take back. */
export function sampleTasks(machineIds: readonly string[], nowMs: number) {
  return machineIds.map((machineId, place) => {
    const goesBack = place % 4 === 3;
    const isReady = place % 3 !== 2;
    return {
      taskId: `T-${1_001 + place}`,
      machineId,
      taskType: goesBack ? 'MachineToWarehouse' : 'WarehouseToMachine',
      taskState: isReady ? 'Ready' : 'Pending',
      coilType: materialAt(place * 2),
      requiredFt: 1_200 + (place % 5) * 250,
      sourceLocation: goesBack ? machineId : rackAt(place * 2),
      destinationLocation: goesBack ? rackAt(place * 2) : machineId,
      requiredDate: isoTime(nowMs + (1 + (place % 8)) * HOUR_MS),
      availableDate: isReady ? isoTime(nowMs) : null,
      preferredCoilIds: [coilIdAt(place * 2)],
    } satisfies Partial<Task>;
  });
}

function materialAt(place: number): CoilType {
  return MATERIALS[place % MATERIALS.length] ?? MATERIALS[0];
}

function rackAt(place: number): string {
  return RACKS[place % RACKS.length] ?? RACKS[0];
}

function coilIdAt(place: number): string {
  return `C-${70_001 + place}`;
}

function isoTime(wallMs: number): string {
  return new Date(wallMs).toISOString();
}
