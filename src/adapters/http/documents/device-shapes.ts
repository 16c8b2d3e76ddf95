import type { TSchema } from 'typebox';
import * as Type from 'typebox';
import {
  type FieldDefinition,
  STATUS_FIELDS,
  type StatusFieldName,
} from '../../../domain/machine/status/status-fields.ts';

/** Shapes of the messages to and from devices, for the published documents (interface.md, Status, Command). */

const REQUIRED: ReadonlySet<StatusFieldName> = new Set([
  'machineId',
  'running',
  'mSecSinceBoot',
  'cycle',
  'goodPart',
  'badPart',
  'override',
]);

function schemaOf(field: FieldDefinition): TSchema {
  const described = describe(field);
  switch (field.kind) {
    case 'machineId':
      return Type.String({ pattern: '^[A-Za-z0-9_-]+$', ...described });
    case 'switch':
      return Type.Boolean(described);
    case 'count':
      return Type.Integer({ minimum: 0, ...described });
    case 'text':
      return Type.String(described);
    case 'scalar':
      return Type.Union([Type.Number(), Type.String(), Type.Boolean()], described);
  }
}

function describe({ aliases }: FieldDefinition): { readonly description?: string } {
  return aliases.length === 0 ? {} : { description: `Also: ${aliases.join(', ')}.` };
}

export const DEVICE_STATUS = Type.Object(
  Object.fromEntries(
    STATUS_FIELDS.map((field) => {
      const schema = schemaOf(field);
      return [field.name, REQUIRED.has(field.name) ? schema : Type.Optional(schema)];
    }),
  ),
  { title: 'DeviceStatus', description: 'Names of fields are read in any case; - and _ in them are ignored.' },
);

const COMMAND_FIELDS = {
  runEnabled: Type.Boolean(),
  attentionNeeded: Type.Boolean(),
  message: Type.Union([Type.String(), Type.Null()]),
  timestamp: Type.String({ format: 'date-time' }),
};

export const MQTT_COMMAND = Type.Object(COMMAND_FIELDS);
export const HTTP_COMMAND = Type.Object({ machineId: Type.String(), ...COMMAND_FIELDS }, { title: 'Command' });

/** D-11: a fault of the gateway names the machine only if it was read. */
export const FAULT_COMMAND = Type.Object({ machineId: Type.Optional(Type.String()), ...COMMAND_FIELDS });

export const VARIABLES = Type.Object(
  {},
  {
    additionalProperties: true,
    description: 'name and value of each variable; values that are not numbers are ignored',
  },
);
export const NAMED_VARIABLES = Type.Object({ machineId: Type.String() }, { additionalProperties: true });

/** `0` or `1`. */
export const BIT = Type.Unsafe<'0' | '1'>({ type: 'string', enum: ['0', '1'] });
export const TRUE_OR_FALSE = Type.Unsafe<'true' | 'false'>({ type: 'string', enum: ['true', 'false'] });
