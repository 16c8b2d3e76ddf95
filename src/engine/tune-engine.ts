import { useSmallBufferPool } from './buffer-pool.ts';
import { growHeapInSmallSteps } from './heap-growth.ts';
import { keepFetchUnloaded } from './no-fetch.ts';
import { startObjectsShortLived } from './pretenuring.ts';
import { keepThreadsSmall } from './thread-memory.ts';
import { keepTickShape } from './tick-shape.ts';
import { keepFirstWasmWrappers } from './wasm-wrappers.ts';

/**
 * Sets V8 in points that it would guess wrongly. To be called before any other script is read: V8 uses compiled code
 * only under the flags under which it was made, and the flags hold for all threads.
 */
export function tuneEngine(): void {
  keepThreadsSmall();
  startObjectsShortLived();
  growHeapInSmallSteps();
  keepFirstWasmWrappers();
}

/** Sets Node in points that it would guess wrongly. To be called in the main thread before the gateway starts. */
export function tuneNode(): void {
  keepTickShape();
  keepFetchUnloaded();
  useSmallBufferPool();
}
