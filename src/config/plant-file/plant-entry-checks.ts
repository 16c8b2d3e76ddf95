import type { EntryKind, FileEntries } from '../../domain/plant/plant-entry.ts';
import { compileRecordShape, type ShapeCheck } from '../schema-check.ts';
import { PLANT_SCHEMAS } from './plant-schema.ts';

/** Checks of one plant record each, by kind. */
export type PlantEntryShapes = { readonly [Kind in EntryKind]: ShapeCheck<FileEntries[Kind]> };

export const PLANT_ENTRY_SHAPES: PlantEntryShapes = {
  catalogs: compileRecordShape(PLANT_SCHEMAS.catalogs),
  locations: compileRecordShape(PLANT_SCHEMAS.locations),
  machines: compileRecordShape(PLANT_SCHEMAS.machines),
  parts: compileRecordShape(PLANT_SCHEMAS.parts),
  downtimeReasons: compileRecordShape(PLANT_SCHEMAS.downtimeReasons),
  reasonCodes: compileRecordShape(PLANT_SCHEMAS.reasonCodes),
  coils: compileRecordShape(PLANT_SCHEMAS.coils),
  tasks: compileRecordShape(PLANT_SCHEMAS.tasks),
  profiles: compileRecordShape(PLANT_SCHEMAS.profiles),
  apiKeys: compileRecordShape(PLANT_SCHEMAS.apiKeys),
  users: compileRecordShape(PLANT_SCHEMAS.users),
};
