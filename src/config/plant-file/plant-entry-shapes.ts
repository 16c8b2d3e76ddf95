import type { EntryKind, FileEntries } from '../../domain/plant/plant-entry.ts';
import { compileShape, type ShapeCheck } from '../schema-check.ts';
import { PLANT_SCHEMAS } from './plant-schema.ts';

/** Checks of one plant record each, by kind. */
export type PlantEntryShapes = { readonly [Kind in EntryKind]: ShapeCheck<FileEntries[Kind]> };

export const PLANT_ENTRY_SHAPES: PlantEntryShapes = {
  catalogs: compileShape(PLANT_SCHEMAS.catalogs),
  locations: compileShape(PLANT_SCHEMAS.locations),
  machines: compileShape(PLANT_SCHEMAS.machines),
  parts: compileShape(PLANT_SCHEMAS.parts),
  downtimeReasons: compileShape(PLANT_SCHEMAS.downtimeReasons),
  reasonCodes: compileShape(PLANT_SCHEMAS.reasonCodes),
  coils: compileShape(PLANT_SCHEMAS.coils),
  tasks: compileShape(PLANT_SCHEMAS.tasks),
  profiles: compileShape(PLANT_SCHEMAS.profiles),
  apiKeys: compileShape(PLANT_SCHEMAS.apiKeys),
  users: compileShape(PLANT_SCHEMAS.users),
};
