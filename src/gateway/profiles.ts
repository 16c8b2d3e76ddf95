import { createRequire } from 'node:module';
import path from 'node:path';
import { DrawingWorker, type DrawingWorkerOptions } from '../adapters/drawing/drawing-worker.ts';
import type { OperationQueue } from '../flows/forward/operation-queue-flow.ts';
import { KeyedMutex } from '../flows/keyed-mutex.ts';
import { DeliveryFlow } from '../flows/library/delivery-flow.ts';
import { ProfileFlow } from '../flows/library/profile-flow.ts';
import { ReadWriteLock } from '../flows/read-write-lock.ts';
import { threadEntry } from '../threads.ts';
import type { Base } from './gateway-parts.ts';

/** esbuild sets it in the bundled program, which brings the renderer with it. */
declare const PLANTGATE_BUNDLED: boolean | undefined;

const RENDERER = '@resvg/resvg-wasm/index_bg.wasm';

const drawingThread: DrawingWorkerOptions = {
  threadEntry: threadEntry('drawing-thread'),
  wasmFile:
    typeof PLANTGATE_BUNDLED === 'undefined'
      ? createRequire(import.meta.url).resolve(RENDERER)
      : path.basename(RENDERER),
};

/** The number of edits of one profile that may wait for their turn. */
const MAX_WAITING_EDITS = 100;

/** Shared by all editors of profiles: the library and the plant file. */
export interface ProfileTools {
  readonly artist: DrawingWorker;
  readonly profileMutex: KeyedMutex;
  readonly catalogLock: ReadWriteLock;
}

export function openProfileTools(): ProfileTools {
  return {
    artist: new DrawingWorker(drawingThread),
    profileMutex: new KeyedMutex('profile', MAX_WAITING_EDITS),
    catalogLock: new ReadWriteLock(),
  };
}

export interface Profiles {
  readonly library: ProfileFlow;
  readonly deliveries: DeliveryFlow;
  /** To be called when a profile that was edited elsewhere is on disk. */
  readonly noteChange: () => void;
}

/** Puts the profile library and the delivery to machines together. */
export function openProfiles(
  { store, plant, clock, newId, incidents }: Pick<Base, 'store' | 'plant' | 'clock' | 'newId' | 'incidents'>,
  { artist, profileMutex: turns, catalogLock }: ProfileTools,
  operations: OperationQueue,
): Profiles {
  const deliveries = new DeliveryFlow({ store, clock, incidents, machines: () => plant.machines() });
  const onChange = () => deliveries.noteChange();
  // A restarted store thread may have begun with a salvaged library.
  store.onHealth(onChange);
  // The plant file brings profiles.
  plant.onChange(onChange);
  const library = new ProfileFlow({ store, plant, clock, newId, artist, turns, catalogLock, operations, onChange });
  return { library, deliveries, noteChange: onChange };
}
