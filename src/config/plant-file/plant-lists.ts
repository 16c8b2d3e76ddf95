import { type FileEntries, type FileKind, ofEachFileKind } from '../../domain/plant/plant-entry.ts';

/** The lists in which the records of a plant file are gathered. */
export type PlantLists = { readonly [Kind in FileKind]: FileEntries[Kind][] };

export function emptyLists(): PlantLists {
  return ofEachFileKind(() => []);
}

export function append<Kind extends FileKind>(
  lists: PlantLists,
  kind: Kind,
  entries: readonly FileEntries[Kind][],
): void {
  for (const entry of entries) lists[kind].push(entry);
}
