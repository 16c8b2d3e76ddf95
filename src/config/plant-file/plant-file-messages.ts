import type { Fault } from '../../domain/error.ts';
import type { FileEntries, FileKind } from '../../domain/plant/plant-entry.ts';
import type { LocatedFault } from '../located-fault.ts';

/** The messages between the main thread and a thread that reads a plant file. */

/** The start of such a thread. */
export interface PlantFileThreadData {
  readonly bytes: Uint8Array;
  readonly file: string;
}

export type ToPlantFileThread =
  | { readonly kind: 'next' }
  | { readonly kind: 'locate'; readonly faults: readonly Fault[] };

/** Some records of one kind, in order. */
export type PlantFilePiece = {
  readonly [Kind in FileKind]: { readonly kind: Kind; readonly entries: readonly FileEntries[Kind][] };
}[FileKind];

export type FromPlantFileThread =
  | { readonly kind: 'piece'; readonly piece: PlantFilePiece }
  | { readonly kind: 'whole' }
  | { readonly kind: 'faulty'; readonly faults: readonly LocatedFault[] }
  | { readonly kind: 'located'; readonly faults: readonly LocatedFault[] };
