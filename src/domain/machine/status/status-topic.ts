import { foundText } from '../../error.ts';
import { nearestName } from '../../nearest-name.ts';
import type { Result } from '../../result.ts';
import { type MachineId, machineId } from '../machine-names.ts';
import { readPayloadText } from './payload.ts';
import {
  countRule,
  loneText,
  loneValue,
  MACHINE_ID_RULE,
  MAX_TEXT_LENGTH,
  readCount,
  readDigits,
  readSwitch,
  type Scalar,
  SWITCH_RULE,
  TEXT_RULE,
} from './status.ts';
import {
  type CountField,
  type FieldDefinition,
  matchField,
  type ScalarField,
  STATUS_FIELDS,
  type SwitchField,
  type TextField,
} from './status-fields.ts';

/** One field that a machine sent alone (interface.md, MQTT; MQTT-04). A null text removes the value. */
export type FieldUpdate =
  | { readonly field: 'machineId'; readonly value: MachineId }
  | { readonly field: SwitchField; readonly value: boolean }
  | { readonly field: CountField; readonly value: number }
  | { readonly field: TextField; readonly value: string | null }
  | { readonly field: ScalarField; readonly value: Scalar | null };

export type FieldResult = Result<{ readonly update: FieldUpdate }>;

const RULES: Readonly<Record<Exclude<FieldDefinition['kind'], 'count'>, string>> = {
  machineId: MACHINE_ID_RULE,
  switch: SWITCH_RULE,
  text: TEXT_RULE,
  scalar: TEXT_RULE,
};

/**
 * Reads a payload of `{TopicRoot}/status/{name}` (MQTT-04): every spelling of a field name that JSON may use (DEV-04);
 * switches and integers as in JSON (D-32, D-33); text. A byte order mark in front, and blanks and NULs round the value do
 * not count, nor double quotes round a switch or an integer. In text quotes may belong to the value.
 */
export function parseStatusField(name: string, payload: string): FieldResult {
  const match = matchField(name);
  if (match === null) return refuse(`status/${name}`, foundText(name), fieldNameRule(name));
  const { definition } = match;
  if (readPayloadText(payload).kind === 'utf-16') return refuse(definition.name, 'UTF-16', 'text in UTF-8');
  const mayHaveQuotes = definition.kind === 'switch' || definition.kind === 'count';
  const text = mayHaveQuotes ? loneValue(payload) : loneText(payload);
  const update = text.length > MAX_TEXT_LENGTH ? null : readUpdate(definition, text);
  if (update !== null) return { ok: true, update };
  return refuse(
    definition.name,
    foundText(text),
    definition.kind === 'count' ? countRule(text) : RULES[definition.kind],
  );
}

function fieldNameRule(name: string): string {
  const meant = nearestName(
    name,
    STATUS_FIELDS.flatMap((field) => [field.name, ...field.aliases]),
  );
  return meant === null ? 'the name of a status field' : `the name of a status field; did you mean ${meant}?`;
}

function readUpdate(definition: FieldDefinition, text: string): FieldUpdate | null {
  switch (definition.kind) {
    case 'machineId': {
      const value = machineId(text);
      return value === null ? null : { field: 'machineId', value };
    }
    case 'switch': {
      const value = readSwitch(text);
      return value === null ? null : { field: definition.name, value };
    }
    case 'count': {
      const value = readCount(text);
      return value === null ? null : { field: definition.name, value };
    }
    case 'text':
      return { field: definition.name, value: text || null };
    case 'scalar':
      return { field: definition.name, value: readDigits(text) ?? (text || null) };
  }
}

function refuse(path: string, found: string, expected: string): FieldResult {
  return { ok: false, faults: [{ path, found, expected }] };
}

/** Reads one field from the topic of that machine, or gives the reason for which it is no field of that machine. */
export function ownField(name: string, text: string, machineId: MachineId): FieldResult {
  const parsed = parseStatusField(name, text);
  if (!parsed.ok || parsed.update.field !== 'machineId' || parsed.update.value === machineId) return parsed;
  return refuse('status/machineId', foundText(parsed.update.value), machineId);
}
