import { CodedError, type Fault } from '../../domain/error.ts';
import type { PlantFile } from '../../domain/plant/plant-entry.ts';
import { ConfigError, type LocatedFault } from '../located-fault.ts';
import { readPlantFile } from './read-plant-file.ts';

/** A plant file that was read and whose text is still at hand. */
export interface OpenPlantFile {
  readonly plantFile: PlantFile;
  /** Gives the places in the file of faults that the plant found. */
  locate(faults: readonly Fault[]): Promise<readonly LocatedFault[]>;
  close(): Promise<void>;
}

/** Reads a plant file at once, in the calling thread: for a small file, before other work begins. */
export function openPlantFile(source: string | Uint8Array, file: string): OpenPlantFile {
  const reading = readPlantFile(source, file);
  if (!reading.ok) throw new ConfigError(reading.faults);
  const { plantFile, locate } = reading;
  return { plantFile, locate: async (faults) => locate(faults), close: async () => undefined };
}

/**
 * Hands a plant file to `apply` and closes it. Its faults for this plant are thrown as a ConfigError that names
 * each place in the file.
 */
export async function applyPlantFile<Result>(
  { plantFile, locate, close }: OpenPlantFile,
  apply: (plantFile: PlantFile) => Promise<Result>,
): Promise<Result> {
  try {
    return await apply(plantFile);
  } catch (error) {
    if (error instanceof CodedError && error.code === 'invalid-input')
      throw new ConfigError(await locate(error.faults));
    throw error;
  } finally {
    await close();
  }
}
