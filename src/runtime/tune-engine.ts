import { useSmallBufferPool } from './buffer-pool.ts';
import { growHeapInSmallSteps } from './heap-growth.ts';
import { keepFetchUnloaded } from './no-fetch.ts';
import { startObjectsShortLived } from './pretenuring.ts';
import { keepTickShape } from './tick-shape.ts';
import { returnUnusedHeap } from './unused-heap.ts';
import { keepFirstWasmWrappers } from './wasm-wrappers.ts';

/** Sets Node in points that it would guess wrongly. To be called in the main thread before the gateway starts. */
export function tuneNode(): void {
  keepTickShape();
  keepFetchUnloaded();
  useSmallBufferPool();
}

/**
 * Sets V8 in points that it would guess wrongly once clients come. To be called when all is loaded: V8 uses compiled
 * code, also that of Node's own modules, only under the flags under which it was made. Set earlier, they make a start
 * 0.06 s longer.
 */
export function tuneEngine(): void {
  startObjectsShortLived();
  growHeapInSmallSteps();
  keepFirstWasmWrappers();
  void returnUnusedHeap();
}
