import { PLANT_CODECS } from '../../domain/plant/plant-codecs.ts';
import { PLANT_KINDS, type PlantKind, type PlantRecords } from '../../domain/plant/plant-entry.ts';
import { changedFields } from '../../domain/plant/plant-merge.ts';
import { type SlicedWork, visit } from '../../domain/sliced-work.ts';
import type { RecordDifference } from './plant-ports.ts';
import type { PlantChanges, PlantState } from './plant-state.ts';

export type PlantDifference = readonly RecordDifference[];

/** Lists the effects of changes on the plant, for `--dry-run` and for the answer to an apply. */
export function* plantDifference(state: PlantState, changes: PlantChanges): SlicedWork<PlantDifference> {
  const difference: RecordDifference[] = [];
  for (const kind of PLANT_KINDS) yield* addDifference(difference, kind, state, changes);
  return difference;
}

function* addDifference<Kind extends PlantKind>(
  difference: RecordDifference[],
  kind: Kind,
  state: PlantState,
  changes: PlantChanges,
): SlicedWork<void> {
  const fieldNames = new Map(PLANT_CODECS[kind].secrets.map(({ field, hashField }) => [hashField, field]));
  yield* visit<readonly [string, PlantRecords[Kind] | null]>(changes[kind], ([id, after]) => {
    const before = state.find(kind, id);
    const fields = changedFields(before, after ?? {}).map((field) => fieldNames.get(field) ?? field);
    difference.push({ kind, id, change: before === undefined ? 'create' : 'update', fields });
  });
}
