import { CodedError } from '../domain/error.ts';
import type { PlantFile } from '../domain/plant-entry.ts';
import { ConfigError } from './located-fault.ts';
import { readPlantFileSliced } from './read-plant-file.ts';

/**
 * Reads a plant file and hands it to `apply` (of the plant: to apply it, or to see what that would change). What is wrong
 * with it, in shape or for this plant, is thrown as a ConfigError that names each place in the file.
 */
export async function applyPlantFile<Result>(
  source: string | Uint8Array,
  file: string,
  apply: (plantFile: PlantFile) => Promise<Result>,
): Promise<Result> {
  const reading = await readPlantFileSliced(source, file);
  if (!reading.ok) throw new ConfigError(reading.faults);
  try {
    return await apply(reading.plantFile);
  } catch (error) {
    if (error instanceof CodedError && error.code === 'invalid-input')
      throw new ConfigError(reading.locate(error.faults));
    throw error;
  }
}
