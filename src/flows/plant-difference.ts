import { PLANT_CODECS } from '../domain/plant-codecs.ts';
import { PLANT_KINDS, type PlantKind } from '../domain/plant-entry.ts';
import { changedFields } from '../domain/plant-merge.ts';
import type { RecordDifference } from './plant-load-ports.ts';
import type { PlantChanges, PlantState } from './plant-state.ts';

export type PlantDifference = readonly RecordDifference[];

/** Says what changes would do to the plant, for `--dry-run` and for the answer to an apply. */
export function plantDifference(state: PlantState, changes: PlantChanges): PlantDifference {
  return PLANT_KINDS.flatMap((kind) => differenceOfKind(kind, state, changes));
}

function differenceOfKind<Kind extends PlantKind>(
  kind: Kind,
  state: PlantState,
  changes: PlantChanges,
): PlantDifference {
  const fieldNames = new Map(PLANT_CODECS[kind].secrets.map(({ field, hashField }) => [hashField, field]));
  return [...changes[kind]].map(([id, after]) => {
    const before = state.find(kind, id);
    const fields = changedFields(before, after ?? {}).map((field) => fieldNames.get(field) ?? field);
    return { kind, id, change: before === undefined ? 'create' : 'update', fields };
  });
}
