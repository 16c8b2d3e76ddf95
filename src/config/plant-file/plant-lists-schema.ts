import * as Type from 'typebox';
import { FILE_KINDS, type FileKind, MAX_FILE_RECORDS } from '../../domain/plant/plant-entry.ts';

/** The shape of a whole plant file: its lists, without their records. */
export const PLANT_LISTS_SCHEMA = Type.Object(Object.fromEntries(FILE_KINDS.map((kind) => [kind, listOf(kind)])), {
  additionalProperties: false,
  minProperties: 1,
  description: `at least one of ${FILE_KINDS.join(', ')}, each as a list`,
});

/** An order of a plant file. The store checks its fields. */
export const ORDER_SCHEMA = Type.Object({}, { description: 'an order as { documentID: …, … }' });

function listOf(kind: FileKind) {
  const maxItems = MAX_FILE_RECORDS[kind];
  return Type.Optional(Type.Array(Type.Unknown(), { maxItems, description: `a list of at most ${maxItems} records` }));
}
