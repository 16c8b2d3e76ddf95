import { setTimeout as delay } from 'node:timers/promises';
import { watchPlantFile } from '../adapters/system/plant-file.ts';
import { applyPlantFile, openPlantFile } from '../config/plant-file/apply-plant-file.ts';
import { readPlantFileApart } from '../config/plant-file/read-plant-file-apart.ts';
import { MAX_PLANT_FILE_BYTES } from '../config/yaml/yaml-limits.ts';
import type { PlantFile } from '../domain/plant/plant-entry.ts';
import { besidePlan, type PlanMemory } from '../flows/fleet-plan/plan-work.ts';
import type { Plant } from '../flows/plant/plant.ts';
import type { PlantState } from '../flows/plant/plant-state.ts';
import type { Incidents, Log, SharedDecisions } from '../flows/ports.ts';
import { inSlices } from '../runtime/slice.ts';
import { threadEntry } from '../threads.ts';

export interface FollowedPlantFile {
  close(): Promise<void>;
}

/**
 * Before anybody is served, the main thread reads a plant file up to this size itself: that takes one to five
 * milliseconds for each kilobyte, and the start of a thread takes longer.
 */
const MAX_AT_ONCE_BYTES = 256 * 1024;
/** A large plant with passwords takes long to compare. The gateway does not call itself ready before, but serves. */
const MAX_FIRST_WAIT_MS = 2_000;

export interface FollowOptions {
  readonly plant: Plant;
  /** The plant has no machines yet, and nobody is served: a faulty file then keeps the gateway from starting. */
  readonly isNewPlant: boolean;
  /** Null: no other node of a central server changes the plant. */
  readonly central: { readonly business: Pick<SharedDecisions, 'decide'> } | null;
  /** The plan of the central server that was applied here last; null: none, or there is no central server. */
  readonly appliedPlan: () => Promise<PlanMemory | null>;
  readonly incidents: Incidents;
  readonly log: Log;
}

/**
 * Applies the plant file now and whenever it changes, all or nothing. A faulty file leaves the plant unchanged and is
 * reported. Waits until the file is applied; if machines are served meanwhile, for a limited time.
 */
export async function followPlantFile(
  file: string,
  { plant, isNewPlant, central, appliedPlan, incidents, log }: FollowOptions,
): Promise<FollowedPlantFile> {
  const first = Promise.withResolvers<'applied' | Error>();
  let isServing = !isNewPlant;
  const fitted = async (plantFile: PlantFile, state: PlantState) => {
    const applied = await appliedPlan();
    return applied === null ? plantFile : inSlices(besidePlan(plantFile, applied, state));
  };
  const watch = watchPlantFile({
    file,
    maxBytes: MAX_PLANT_FILE_BYTES,
    onContent: async (bytes) => {
      const isAtOnce = !isServing && bytes.length <= MAX_AT_ONCE_BYTES;
      const opened = isAtOnce
        ? openPlantFile(bytes, file)
        : await readPlantFileApart(bytes, file, threadEntry('plant-file-thread'));
      const apply = () => applyPlantFile(opened, (plantFile) => plant.applyFile(plantFile, undefined, fitted));
      const difference = await (central?.business.decide(apply) ?? apply());
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
