import type { LocatedFault } from '../config/located-fault.ts';
import { readFileBounded } from '../config/read-file.ts';
import { type PlantFileReading, readPlantFile } from '../config/read-plant-file.ts';
import { MAX_PLANT_FILE_BYTES } from '../config/yaml-limits.ts';

/** Reads a plant file from disk; that there is none, or that it may not be read, is a fault like any other. */
export function readPlant(file: string): PlantFileReading {
  const unreadable = (found: string): PlantFileReading => {
    const fault: LocatedFault = { file, line: null, column: null, path: 'plant', found, expected: 'a file to read' };
    return { ok: false, faults: [fault] };
  };
  try {
    const bytes = readFileBounded(file, MAX_PLANT_FILE_BYTES);
    return bytes === null ? unreadable('no such file') : readPlantFile(bytes, file);
  } catch (error) {
    return unreadable(error instanceof Error ? error.message : String(error));
  }
}
