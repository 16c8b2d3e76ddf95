import { growHeapInSmallSteps } from './heap-growth.ts';
import { startObjectsShortLived } from './pretenuring.ts';
import { keepTickShape } from './tick-shape.ts';
import { keepFirstWasmWrappers } from './wasm-wrappers.ts';

/** Tells the engine what it would guess wrongly. For the main thread, before anything else. */
export function tuneEngine(): void {
  startObjectsShortLived();
  growHeapInSmallSteps();
  keepFirstWasmWrappers();
  keepTickShape();
}
