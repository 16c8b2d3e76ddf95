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
 * A plant file that this thread reads itself, because the start of another thread takes longer: reading takes one to
 * five milliseconds for each kilobyte. While machines are served, they wait meanwhile.
 */
const MAX_AT_ONCE_BYTES = { beforeServing: 256 * 1024, whileServing: 2 * 1024 } as const;
/** A large plant with passwords takes long to compare. The gateway does not call itself ready before, but serves. */
const MAX_FIRST_WAIT_MS = 2_000;

/**
 * Applies the plant file now and whenever it changes, all or nothing. A faulty file leaves the plant unchanged and is
 * reported. If the plant has no machines yet, no client may be served before, and a faulty file keeps the gateway from
 * starting. Otherwise machines are served meanwhile.
 */
export async function followPlantFile(
  file: string,
  plant: Plant,
  incidents: Incidents,
  log: Log,
): Promise<FollowedPlantFile> {
  const isNewPlant = plant.machines().length === 0;
  const first = Promise.withResolvers<'applied' | Error>();
  let isServing = !isNewPlant;
  const watch = watchPlantFile({
    file,
    maxBytes: MAX_PLANT_FILE_BYTES,
    onContent: async (bytes) => {
      const maxAtOnceBytes = isServing ? MAX_AT_ONCE_BYTES.whileServing : MAX_AT_ONCE_BYTES.beforeServing;
      const opened =
        bytes.length <= maxAtOnceBytes
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
  const outcome = await (isNewPlant
    ? first.promise
    : Promise.race([first.promise, delay(MAX_FIRST_WAIT_MS, 'late' as const, { ref: false })]));
  isServing = true;
  if (!isNewPlant || outcome === 'applied') return watch;
  await watch.close();
  throw outcome;
}
