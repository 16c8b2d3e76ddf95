import { stringify } from 'yaml';
import type { PlantEntries } from '../../domain/plant/plant-entry.ts';
import { VARIABLE_DETAILS, VARIABLE_NAMES } from '../machine/readings.ts';
import { machineName, SAMPLE_PARTS, simulatedMachines } from '../machine/rolling-line.ts';
import { sampleCoils, sampleTasks } from './sample-material.ts';
import { DOWNTIME_REASONS } from './sample-reasons.ts';

/** A plant file as text has plain machine ids. */
type PlantText = {
  readonly [Kind in keyof PlantEntries]?: readonly (Omit<PlantEntries[Kind], 'machineId' | 'machineRates'> & {
    readonly machineId?: string;
  })[];
};

const CATALOGS = [
  { catalogId: 1, name: 'Standard', default: true },
  { catalogId: 2, name: 'Trim' },
];

const WAREHOUSE_LOCATIONS = [
  { code: 'WH-A1', name: 'Rack A1', category: 'Warehouse' },
  { code: 'WH-A2', name: 'Rack A2', category: 'Warehouse' },
  { code: 'WH-B1', name: 'Rack B1', category: 'Warehouse' },
  { code: 'BIN-01', name: 'Scrap bin 1', category: 'Bin' },
  { code: 'STG-01', name: 'Staging bay 1', category: 'StagingBay' },
  { code: 'DOCK-01', name: 'Loading dock 1', category: 'LoadingDock' },
] as const;

const REASON_CODES = [
  { id: 'OR-1', codeSet: 'OverrideReasons', reason: 'Preferred coil damaged' },
  { id: 'OR-2', codeSet: 'OverrideReasons', reason: 'Preferred coil blocked in the rack' },
  { id: 'UR-1', codeSet: 'UnattainableReasons', reason: 'Coil not found' },
  { id: 'UR-2', codeSet: 'UnattainableReasons', reason: 'No crane available' },
] as const;

/** Good parts a shift, by the kind of machine. */
const TARGETS = [4_900, 3_300, 3_700, 2_500, 4_300] as const;
/** Nobody has set its rate yet. */
const UNRATED_PART = 'P-305';
/** Machines of a large sample plant for which parts have rates. */
const MAX_RATED_MACHINES = 12;

function ratesOf(lengthFt: number, machines: number) {
  return simulatedMachines(machines).map(({ machineId, ratedSpeedFtPerMinute }) => ({
    machineId,
    idealPartsPerMinute: Math.round((ratedSpeedFtPerMinute / lengthFt) * 10) / 10,
  }));
}

/**
 * A plant file (contract.md, Plant file) for the machines of `simulatedMachines(count)`, with coils and tasks to move.
 * Tasks are due in the hours after `nowMs`.
 */
export function samplePlant(count: number, nowMs: number = Date.now()): string {
  const names = Array.from({ length: count }, (_, place) => machineName(place));
  const plant = {
    catalogs: CATALOGS,
    locations: [
      ...WAREHOUSE_LOCATIONS,
      ...names.map(({ machineId, name }) => ({ code: machineId, name, category: 'Machine' as const })),
    ],
    machines: names.map(({ machineId, name, topicRoot, serialNumber }, place) => ({
      machineId,
      name,
      topicRoot,
      location: machineId,
      serialNumber,
      registrationKey: `reg-secret-${place + 1}`,
      claims: ['service.machine.warehouse'],
      variables: VARIABLE_NAMES,
      variableDetails: VARIABLE_DETAILS,
      catalogs: place % 2 === 0 ? [1] : [1, 2],
      state: 'active' as const,
      area: place % 6 < 4 ? 'Hall A' : 'Hall B',
      // One machine has no target, so that the page shows how it treats that.
      ...(place % 6 !== 5 && { targetPartsPerShift: TARGETS[place % TARGETS.length] }),
    })),
    parts: SAMPLE_PARTS.map(({ partId, partName, lengthFt }) => ({
      partId,
      partName,
      ...(partId !== UNRATED_PART && { machineRates: ratesOf(lengthFt, Math.min(count, MAX_RATED_MACHINES)) }),
    })),
    downtimeReasons: DOWNTIME_REASONS,
    reasonCodes: REASON_CODES,
    coils: sampleCoils(count, nowMs),
    tasks: sampleTasks(
      names.map(({ machineId }) => machineId),
      nowMs,
    ),
  } satisfies PlantText;
  return stringify(plant, { aliasDuplicateObjects: false });
}
