import { createRequire } from 'node:module';
import path from 'node:path';
import { DrawingWorker, type DrawingWorkerOptions } from './adapters/drawing/drawing-worker.ts';
import { DeliveryFlow } from './flows/deliver-profiles.ts';
import { ProfileFlow } from './flows/edit-profiles.ts';
import type { PlantView } from './flows/plant-view.ts';
import type { Clock, Incidents, Store } from './flows/ports.ts';
import type { MachineDeliveryApi, ProfileApi } from './flows/profile-ports.ts';

/** esbuild sets it: the single binary runs itself as the drawing thread and holds the renderer beside it. */
declare const PLANTGATE_BUNDLED: boolean | undefined;

const RENDERER = '@resvg/resvg-wasm/index_bg.wasm';

const drawingThread: DrawingWorkerOptions =
  typeof PLANTGATE_BUNDLED === 'undefined'
    ? {
        threadEntry: new URL('./adapters/drawing/drawing-thread.ts', import.meta.url),
        wasmFile: createRequire(import.meta.url).resolve(RENDERER),
      }
    : { threadEntry: import.meta.filename, wasmFile: path.join(import.meta.dirname, path.basename(RENDERER)) };

export interface ProfilesBase {
  readonly store: Store;
  readonly plant: PlantView;
  readonly clock: Clock;
  readonly newId: () => string;
  readonly incidents: Incidents;
}

export interface Profiles {
  readonly library: ProfileApi;
  readonly deliveries: MachineDeliveryApi;
  close(): Promise<void>;
}

/** Puts the profile library and the delivery to machines together. */
export function openProfiles(base: ProfilesBase): Profiles {
  const { store, plant, clock, newId, incidents } = base;
  const artist = new DrawingWorker(drawingThread);
  const deliveries = new DeliveryFlow({ store, incidents, machines: () => plant.machines() });
  // A store thread that was started anew may have begun with a salvaged library.
  store.onHealth(() => deliveries.noteChange());
  const onChange = () => deliveries.noteChange();
  return {
    library: new ProfileFlow({ store, plant, artist, clock, newId, onChange }),
    deliveries,
    close: () => artist.close(),
  };
}
