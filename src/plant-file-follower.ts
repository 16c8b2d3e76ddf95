import { setTimeout as delay } from 'node:timers/promises';
import { watchPlantFile } from './adapters/system/plant-file.ts';
import { applyPlantFile } from './config/apply-plant-file.ts';
import { MAX_PLANT_FILE_BYTES } from './config/yaml-limits.ts';
import type { Plant } from './flows/plant.ts';
import type { Incidents, Log } from './flows/ports.ts';

export interface FollowedPlantFile {
  close(): Promise<void>;
}

/** A large plant with passwords takes long to compare; the plant that is there already serves meanwhile. */
const MAX_FIRST_WAIT_MS = 2_000;

/**
 * Applies the plant file now and whenever it changes, all or nothing. A faulty one leaves the plant as it is and is told;
 * only where there is no plant yet does it keep the gateway from starting.
 */
export async function followPlantFile(
  file: string,
  plant: Plant,
  incidents: Incidents,
  log: Log,
): Promise<FollowedPlantFile> {
  const first = Promise.withResolvers<'applied' | Error>();
  const watch = watchPlantFile({
    file,
    maxBytes: MAX_PLANT_FILE_BYTES,
    onContent: async (bytes) => {
      const difference = await applyPlantFile(bytes, file, (plantFile) => plant.applyFile(plantFile));
      log.info({ file, changes: difference.length }, 'plant file applied');
      first.resolve('applied');
    },
    onFault: (error) => {
      incidents.report({ kind: 'plantFile', subject: file, detail: error.message });
      first.resolve(error);
    },
  });
  if (plant.machines().length > 0) {
    await Promise.race([first.promise, delay(MAX_FIRST_WAIT_MS, null, { ref: false })]);
    return watch;
  }
  const outcome = await first.promise;
  if (outcome === 'applied') return watch;
  await watch.close();
  throw outcome;
}
