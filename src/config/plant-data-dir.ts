import path from 'node:path';
import { FIRST_PLANT } from '../domain/plant/plant-scope.ts';

/** The data directory of a plant of a central server (D-108): that of the first one has those of the others. */
export function dataDirOfPlant(dataDir: string, plantId: string | null): string {
  return plantId === null || plantId === FIRST_PLANT ? dataDir : path.join(dataDir, 'plants', plantId);
}
