import type { EntryKind, FileEntries } from '../../domain/plant/plant-entry.ts';
import { type SchemaCheck, schemaCheck } from '../../validation/schema-check.ts';
import { PLANT_SCHEMAS } from './plant-schema.ts';

/** Checks of one plant record each, by kind. */
export type PlantEntryShapes = { readonly [Kind in EntryKind]: SchemaCheck<FileEntries[Kind]> };

export const PLANT_ENTRY_SHAPES: PlantEntryShapes = {
  catalogs: schemaCheck(PLANT_SCHEMAS.catalogs, 'file'),
  locations: schemaCheck(PLANT_SCHEMAS.locations, 'file'),
  machines: schemaCheck(PLANT_SCHEMAS.machines, 'file'),
  parts: schemaCheck(PLANT_SCHEMAS.parts, 'file'),
  downtimeReasons: schemaCheck(PLANT_SCHEMAS.downtimeReasons, 'file'),
  reasonCodes: schemaCheck(PLANT_SCHEMAS.reasonCodes, 'file'),
  coils: schemaCheck(PLANT_SCHEMAS.coils, 'file'),
  tasks: schemaCheck(PLANT_SCHEMAS.tasks, 'file'),
  profiles: schemaCheck(PLANT_SCHEMAS.profiles, 'file'),
  mqttAccounts: schemaCheck(PLANT_SCHEMAS.mqttAccounts, 'file'),
  apiKeys: schemaCheck(PLANT_SCHEMAS.apiKeys, 'file'),
  users: schemaCheck(PLANT_SCHEMAS.users, 'file'),
};
