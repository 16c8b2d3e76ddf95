import type { Drawn } from '../../domain/profile/drawing.ts';

/** What the main thread and the drawing thread say to each other. */

/** How a drawing thread is started. */
export interface DrawingThreadData {
  /** The renderer's WebAssembly file. */
  readonly wasmFile: string;
}

export interface DrawRequest {
  readonly id: number;
  readonly drawn: Drawn;
}

export type DrawAnswer =
  | { readonly id: number; readonly dataUrl: string }
  | { readonly id: number; readonly fault: string };
