import { existsSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { dataDirOfPlant } from '../../../config/plant-data-dir.ts';
import { PLANT_ID_PATTERN } from '../../../config/plant-file/plant-fields.ts';

/** A database that an update may change, and the places of its copies. */
export interface DataPlace {
  readonly dataDir: string;
  readonly copy: string;
  readonly backup: string;
}

/** The databases of all plants of a computer (D-108), that of the first plant first. */
export function dataPlaces(
  { copy, backup }: Pick<DataPlace, 'copy' | 'backup'>,
  dataDir: string,
): readonly [DataPlace, ...DataPlace[]] {
  const further = plantIdsIn(path.join(dataDir, 'plants')).map((plantId) => ({
    dataDir: dataDirOfPlant(dataDir, plantId),
    copy: `${copy}.${plantId}`,
    backup: `${backup}.${plantId}`,
  }));
  return [{ dataDir, copy, backup }, ...further];
}

const PLANT_ID = new RegExp(PLANT_ID_PATTERN);

/** A link is left out: root copies these files, and the service's user may make links. */
function plantIdsIn(directory: string): readonly string[] {
  if (!existsSync(directory)) return [];
  const entries = readdirSync(directory, { withFileTypes: true });
  return entries.flatMap((entry) => (entry.isDirectory() && PLANT_ID.test(entry.name) ? [entry.name] : [])).sort();
}
