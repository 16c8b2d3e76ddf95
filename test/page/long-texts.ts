import { PLANT } from './page-under-test.ts';

/** Location codes as warehouses have them, and the longest that is usual. */
const CODES = ['STAGING-2', 'RACK-A1-03', 'WH-NORTH-A1-03', 'WAREHOUSE-NORTH-RACK-A1-LEVEL-3'];
/** A word of 35 letters, as long as some that people type. */
export const WORD = 'Werkzeugeinstellungsnachbearbeitung';
/** An id as long as a program may make it. */
export const LONG_MACHINE = `RF-${'M'.repeat(40)}`;
const LONG_PROFILE = 'W'.repeat(77);
export const HELD = 7;

const [task] = PLANT.tasks;
const [coil] = PLANT.coils;
const [profile] = PLANT.profiles;

/** The plant of the other tests, and texts that are long or have no blanks. */
export const LONG_PLANT = {
  ...PLANT,
  locations: [
    ...PLANT.locations,
    ...CODES.map((code) => ({ code, name: `Place ${code.toLowerCase()}`, category: 'Warehouse' })),
  ],
  machines: [
    ...PLANT.machines,
    { machineId: LONG_MACHINE, name: 'Verylongmachinename'.repeat(6), topicRoot: 'plant1/long' },
    ...Array.from({ length: HELD }, (_, at) => ({
      machineId: `LM-${at}`,
      name: `Standing seam line ${at}`,
      topicRoot: `plant1/lm-${at}`,
    })),
  ],
  coils: [
    ...PLANT.coils,
    ...CODES.map((location, at) => ({ ...coil, coilId: `COIL-2026-11-27-00012345${at}-GALV`, location })),
  ],
  tasks: [
    ...PLANT.tasks,
    ...CODES.map((sourceLocation, at) => ({
      ...task,
      taskId: `T-2026-11-27-00045${at}`,
      sourceLocation,
      destinationLocation: CODES[(at + 1) % CODES.length],
      preferredCoilIds: [`COIL-2026-11-27-00012345${at}-GALV`],
    })),
  ],
  profiles: [{ ...profile, profileName: LONG_PROFILE }],
  downtimeReasons: [...PLANT.downtimeReasons, { id: 'DT-09', reason: `${WORD} wegen Kante`, group: WORD }],
};
