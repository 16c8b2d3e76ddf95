import type { Drawn } from '../../domain/profile/drawing.ts';

/** The messages between the main thread and the drawing thread. */

/** The start of a drawing thread. */
export interface DrawingThreadData {
  /** The renderer's WebAssembly: a path, or in the bundled program the name of one of its files. */
  readonly wasmFile: string;
}

export interface DrawRequest {
  readonly id: number;
  readonly drawn: Drawn;
}

export type DrawAnswer =
  | { readonly id: number; readonly dataUrl: string }
  | { readonly id: number; readonly fault: string };
