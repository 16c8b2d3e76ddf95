import type { TSchema } from 'typebox';
import * as Type from 'typebox';
import { ROLES } from '../../domain/plant/plant.ts';
import { schemaCheck } from '../../validation/schema-check.ts';
import { PLAN_SHIFTS } from '../config-schema.ts';
import { PLANT_ENTRY_SHAPES } from './plant-entry-checks.ts';
import { choice, id, machineId, orNull, rate, target, utcDateTime } from './plant-fields.ts';
import { PLANT_SCHEMAS } from './plant-schema.ts';

/** Shapes of the records of a plan for a group of gateways (D-106), as people write them and as they are sent. */

const STRICT = { additionalProperties: false } as const;

const machines = Type.Object(
  { machineId, idealPartsPerMinute: Type.Optional(rate), targetPartsPerShift: Type.Optional(target) },
  { ...STRICT, description: 'a machine as { machineId, idealPartsPerMinute, targetPartsPerShift }' },
);

export const PLAN_ENTRY_SHAPES = {
  machines: schemaCheck(machines, 'file'),
  parts: PLANT_ENTRY_SHAPES.parts,
  downtimeReasons: PLANT_ENTRY_SHAPES.downtimeReasons,
  // A gateway has one plant, and would refuse a record that names plants (D-108).
  apiKeys: schemaCheck(Type.Omit(PLANT_SCHEMAS.apiKeys, ['plants'], STRICT), 'file'),
  users: schemaCheck(Type.Omit(PLANT_SCHEMAS.users, ['plants'], STRICT), 'file'),
  shifts: schemaCheck(PLAN_SHIFTS, 'file'),
};

/** A salted hash, as `secrets.ts` makes them. */
const hash = Type.String({ pattern: '^[!-~]{1,256}$', description: 'the hash of a secret' });
const none = Type.Optional(Type.Null());

function sealedShape<Schema extends TSchema>(schema: Schema) {
  return schemaCheck(schema, 'file', 10);
}

export const SEALED_SHAPES = {
  machines: sealedShape(machines),
  parts: sealedShape(PLANT_SCHEMAS.parts),
  downtimeReasons: sealedShape(PLANT_SCHEMAS.downtimeReasons),
  apiKeys: sealedShape(
    Type.Object(
      {
        id: Type.Optional(id),
        principal: id,
        keyHash: hash,
        role: choice(ROLES),
        since: orNull(utcDateTime),
        isPanel: Type.Optional(Type.Boolean()),
      },
      STRICT,
    ),
  ),
  shifts: sealedShape(PLAN_SHIFTS),
  users: sealedShape(
    Type.Object(
      {
        name: id,
        role: choice(ROLES),
        passwordHash: hash,
        badge: none,
        badgeHash: Type.Optional(hash),
        pin: none,
        pinHash: Type.Optional(hash),
      },
      STRICT,
    ),
  ),
};
