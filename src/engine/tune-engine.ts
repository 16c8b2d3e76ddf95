import { useSmallBufferPool } from './buffer-pool.ts';
import { growHeapInSmallSteps } from './heap-growth.ts';
import { keepFetchUnloaded } from './no-fetch.ts';
import { startObjectsShortLived } from './pretenuring.ts';
import { keepTickShape } from './tick-shape.ts';
import { keepFirstWasmWrappers } from './wasm-wrappers.ts';

/** Sets the engine and Node in points that they would guess wrongly. To be called in the main thread, before anything else. */
export function tuneEngine(): void {
  startObjectsShortLived();
  growHeapInSmallSteps();
  keepFirstWasmWrappers();
  keepTickShape();
  keepFetchUnloaded();
  useSmallBufferPool();
}
