import { isUtf8 } from 'node:buffer';
import { readFileSync, statSync } from 'node:fs';
import type { LocatedFault } from '../config/located-fault.ts';
import { MAX_WHOLE_BYTES, readLargePlantFile } from '../config/plant-file/read-large-plant-file.ts';
import { type PlantFileReading, readPlantFile } from '../config/plant-file/read-plant-file.ts';
import { readFileBounded } from '../config/read-file.ts';
import { MAX_PLANT_FILE_BYTES } from '../config/yaml/yaml-limits.ts';
import { errorMessage } from '../domain/error-text.ts';

/** The limit of a text in V8 is half a gigabyte. */
const MAX_BYTES = 384 * 1024 * 1024;

/** Reads a plant file from disk. A missing or unreadable file is a fault like any other. */
export function readPlant(file: string): PlantFileReading {
  return orUnreadable(file, () => {
    const bytes = readFileBounded(file, MAX_PLANT_FILE_BYTES);
    return bytes === null ? unreadable(file, 'no such file') : readPlantFile(bytes, file);
  });
}

/** Reads a plant file that may be larger than the gateway's own limit, for example an export. */
export function readLargePlant(file: string): PlantFileReading {
  return orUnreadable(file, () => {
    const size = statSync(file, { throwIfNoEntry: false })?.size ?? 0;
    if (size <= MAX_WHOLE_BYTES) return readPlant(file);
    if (size > MAX_BYTES) return unreadable(file, `${size} bytes, more than ${MAX_BYTES}`);
    const bytes = readFileSync(file);
    const large = isUtf8(bytes) ? readLargePlantFile(bytes.toString('utf8'), file) : null;
    const isWhole = large?.ok === true || size > MAX_PLANT_FILE_BYTES;
    // A file with references may be without fault when it is read as a whole.
    return large !== null && isWhole ? large : readPlantFile(bytes, file);
  });
}

function orUnreadable(file: string, read: () => PlantFileReading): PlantFileReading {
  try {
    return read();
  } catch (error) {
    return unreadable(file, errorMessage(error));
  }
}

function unreadable(file: string, found: string): PlantFileReading {
  const fault: LocatedFault = { file, line: null, column: null, path: 'plant', found, expected: 'a file to read' };
  return { ok: false, faults: [fault] };
}
