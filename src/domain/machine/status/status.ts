import { type Fault, foundText } from '../../error.ts';
import { isJsonObject } from '../../json/json-limits.ts';
import { type MachineId, machineId } from '../machine-names.ts';
import {
  type CountField,
  fieldIndex,
  pickFields,
  type ScalarField,
  type StatusFieldName,
  type SwitchField,
  type TextField,
} from './status-fields.ts';
import {
  countRule,
  MACHINE_ID_RULE,
  NUMBER_AS_TEXT_RULE,
  readCount,
  readSwitch,
  readText,
  type Scalar,
  SWITCH_RULE,
  TEXT_RULE,
} from './status-values.ts';

/** The known fields of a machine; null for fields it never sent. Machines that send single fields fill it bit by bit. */
export type KnownStatus = Readonly<
  { machineId: MachineId } & Record<SwitchField, boolean | null> &
    Record<CountField, number | null> &
    Record<TextField, string | null> &
    Record<ScalarField, Scalar | null>
>;

/** A full JSON status: a snapshot with all required fields (interface.md, Status). */
export type FullStatus = KnownStatus &
  Readonly<Record<Exclude<SwitchField, 'machinePower' | 'fault'>, boolean> & Record<CountField, number>>;

export type StatusResult =
  | { readonly ok: true; readonly status: FullStatus }
  | { readonly ok: false; readonly faults: readonly Fault[] };

const INDEX = {
  machineId: fieldIndex('machineId'),
  running: fieldIndex('running'),
  machinePower: fieldIndex('machinePower'),
  fault: fieldIndex('fault'),
  override: fieldIndex('override'),
  cycle: fieldIndex('cycle'),
  goodPart: fieldIndex('goodPart'),
  badPart: fieldIndex('badPart'),
  mSecSinceBoot: fieldIndex('mSecSinceBoot'),
  goodPartTotal: fieldIndex('goodPartTotal'),
  goodPartInputs: fieldIndex('goodPartInputs'),
  piecesAtATime: fieldIndex('piecesAtATime'),
  userId: fieldIndex('userId'),
  partId: fieldIndex('partId'),
  partName: fieldIndex('partName'),
  jobNumber: fieldIndex('jobNumber'),
  material: fieldIndex('material'),
} satisfies Record<StatusFieldName, number>;

/**
 * Reads a full JSON status, or names every field that is missing or mistyped (DEV-01 to DEV-05, DEV-20). Booleans and
 * counts may be written as PLCs write them (D-32, D-33), and text as a number. Optional fields with null or empty text
 * count as absent. The undescribed fields of DEV-20 are kept if they are scalar and otherwise left out, because a
 * status must not be lost over a field without a meaning.
 */
export function parseStatus(body: unknown): StatusResult {
  if (!isJsonObject(body)) {
    return { ok: false, faults: [{ path: 'status', found: foundText(body), expected: 'a JSON object' }] };
  }
  const values = pickFields(body);
  const faults: Fault[] = [];
  const id = requireMachineId(values, faults);
  const status = {
    running: requireSwitch(values, 'running', faults),
    machinePower: optionalSwitch(values, 'machinePower', faults),
    fault: optionalSwitch(values, 'fault', faults),
    override: requireSwitch(values, 'override', faults),
    mSecSinceBoot: requireCount(values, 'mSecSinceBoot', faults),
    cycle: requireCount(values, 'cycle', faults),
    goodPart: requireCount(values, 'goodPart', faults),
    badPart: requireCount(values, 'badPart', faults),
    goodPartTotal: scalarOrNull(values[INDEX.goodPartTotal]),
    goodPartInputs: scalarOrNull(values[INDEX.goodPartInputs]),
    piecesAtATime: scalarOrNull(values[INDEX.piecesAtATime]),
    userId: optionalText(values, 'userId', faults),
    partId: optionalText(values, 'partId', faults),
    partName: optionalText(values, 'partName', faults),
    jobNumber: optionalText(values, 'jobNumber', faults),
    material: optionalText(values, 'material', faults),
    machineId: id,
  };
  return isIdentified(status) && faults.length === 0 ? { ok: true, status } : { ok: false, faults };
}

function isIdentified<T extends { machineId: MachineId | null }>(status: T): status is T & { machineId: MachineId } {
  return status.machineId !== null;
}

function requireMachineId(values: readonly unknown[], faults: Fault[]): MachineId | null {
  const value = values[INDEX.machineId];
  const id = typeof value === 'string' ? machineId(value) : null;
  if (id === null) faults.push({ path: 'machineId', found: foundText(value), expected: MACHINE_ID_RULE });
  return id;
}

function requireSwitch(values: readonly unknown[], name: SwitchField, faults: Fault[]): boolean {
  const value = values[INDEX[name]];
  const read = readSwitch(value);
  if (read !== null) return read;
  faults.push({ path: name, found: foundText(value), expected: SWITCH_RULE });
  return false;
}

function optionalSwitch(values: readonly unknown[], name: SwitchField, faults: Fault[]): boolean | null {
  return isAbsent(values[INDEX[name]]) ? null : requireSwitch(values, name, faults);
}

function requireCount(values: readonly unknown[], name: CountField, faults: Fault[]): number {
  const value = values[INDEX[name]];
  const count = readCount(value);
  if (count !== null) return count;
  faults.push({ path: name, found: foundText(value), expected: countRule(value) });
  return 0;
}

function optionalText(values: readonly unknown[], name: TextField, faults: Fault[]): string | null {
  const value = values[INDEX[name]];
  if (isAbsent(value)) return null;
  const text = readText(value);
  if (text !== null) return text === '' ? null : text;
  const expected = typeof value === 'number' ? NUMBER_AS_TEXT_RULE : TEXT_RULE;
  faults.push({ path: name, found: foundText(value), expected });
  return null;
}

function scalarOrNull(value: unknown): Scalar | null {
  if (typeof value === 'number' || typeof value === 'boolean') return value;
  return typeof value === 'string' ? readText(value) : null;
}

function isAbsent(value: unknown): boolean {
  return value === undefined || value === null;
}
