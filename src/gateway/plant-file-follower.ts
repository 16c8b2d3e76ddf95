import { setTimeout as delay } from 'node:timers/promises';
import { watchPlantFile } from '../adapters/system/plant-file.ts';
import { applyPlantFile, openPlantFile } from '../config/plant-file/apply-plant-file.ts';
import { readPlantFileApart } from '../config/plant-file/read-plant-file-apart.ts';
import { MAX_PLANT_FILE_BYTES } from '../config/yaml/yaml-limits.ts';
import type { Plant } from '../flows/plant/plant.ts';
import type { Incidents, Log } from '../flows/ports.ts';
import { threadEntry } from '../threads/thread-entry.ts';

export interface FollowedPlantFile {
  close(): Promise<void>;
}

/**
 * Reading takes a millisecond for each kilobyte: before the first client is served, that is less than the start of a
 * thread takes.
 */
const MAX_AT_ONCE_BYTES = 256 * 1024;
/** A large plant with passwords takes long to compare; the stored plant serves meanwhile. */
const MAX_FIRST_WAIT_MS = 2_000;

/**
 * Applies the plant file now and whenever it changes, all or nothing. A faulty file leaves the plant unchanged and is
 * reported; it keeps the gateway from starting only if the plant has no machines yet.
 */
export async function followPlantFile(
  file: string,
  plant: Plant,
  incidents: Incidents,
  log: Log,
): Promise<FollowedPlantFile> {
  const first = Promise.withResolvers<'applied' | Error>();
  let isServing = false;
  const watch = watchPlantFile({
    file,
    maxBytes: MAX_PLANT_FILE_BYTES,
    onContent: async (bytes) => {
      const isAtOnce = !isServing && bytes.length <= MAX_AT_ONCE_BYTES;
      const opened = isAtOnce
        ? openPlantFile(bytes, file)
        : await readPlantFileApart(bytes, file, threadEntry('plant-file-thread'));
      const difference = await applyPlantFile(opened, (plantFile) => plant.applyFile(plantFile));
      log.info({ file, changes: difference.length }, 'plant file applied');
      first.resolve('applied');
    },
    onFault: (error) => {
      incidents.report({ kind: 'plantFile', subject: file, detail: error.message });
      first.resolve(error);
    },
  });
  const isWaitedFor = plant.machines().length === 0;
  const outcome = await (isWaitedFor
    ? first.promise
    : Promise.race([first.promise, delay(MAX_FIRST_WAIT_MS, 'late' as const, { ref: false })]));
  isServing = true;
  if (!isWaitedFor || outcome === 'applied') return watch;
  await watch.close();
  throw outcome;
}
