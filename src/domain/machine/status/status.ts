import { type Fault, foundText } from '../../error.ts';
import { isJsonObject } from '../../json/json.ts';
import type { Result } from '../../result.ts';
import { type MachineId, machineId } from '../machine-names.ts';
import { causesOfRefusal } from './likely-cause.ts';
import { causeOfNumber } from './number-forms.ts';
import { parsePayload, withoutMark } from './payload.ts';
import {
  type CountField,
  fieldIndex,
  pickFields,
  type ScalarField,
  type StatusFieldName,
  type SwitchField,
  type TextField,
} from './status-fields.ts';

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
export function parseStatus(body: unknown): Result<{ readonly status: FullStatus }> {
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

/** The reading of the values of a status, the same in JSON and on single-field topics. */

/** A status with a longer text is malformed. */
export const MAX_TEXT_LENGTH = 256;

export const MACHINE_ID_RULE = 'letters, digits, hyphens and underscores, at most 128';
export const SWITCH_RULE = 'true, false, 1, 0, on, off, yes or no';
const COUNT_RULE = 'an integer of 0 or more';
export const TEXT_RULE = `text of at most ${MAX_TEXT_LENGTH} characters`;
export const NUMBER_AS_TEXT_RULE = `a number up to ${Number.MAX_SAFE_INTEGER}; send a longer one as text`;

/** An unchanged value of a field that the interface does not describe (DEV-20). */
export type Scalar = string | number | boolean;

const SPACE = 0x20;
const DIGIT_0 = 0x30;
const DIGIT_9 = 0x39;
/** A longer row of digits is no count. */
const MAX_COUNT_DIGITS = 16;
/** A longer text is no number. */
const MAX_NUMBER_LENGTH = 32;
/** PLCs of Siemens write a plus in front. */
const DECIMAL = /^[+-]?\d+(\.\d+)?([eE][+-]?\d+)?$/;

const SWITCH_WORDS: ReadonlyMap<string, boolean> = new Map([
  ['true', true],
  ['1', true],
  ['on', true],
  ['yes', true],
  ['false', false],
  ['0', false],
  ['off', false],
  ['no', false],
]);
const LONGEST_SWITCH_WORD = 5;

/** A boolean, 0, 1, or one of the words in any case with blanks round it (D-32); null for anything else. */
export function readSwitch(value: unknown): boolean | null {
  if (typeof value === 'boolean') return value;
  if (typeof value === 'number') return value === 0 || value === 1 ? value === 1 : null;
  if (typeof value !== 'string') return null;
  const word = trimPadding(value);
  return word.length > LONGEST_SWITCH_WORD ? null : (SWITCH_WORDS.get(word.toLowerCase()) ?? null);
}

/** The rule of a count, with the likely form of a value that breaks it. */
export function countRule(value: unknown): string {
  const cause = typeof value === 'string' ? causeOfNumber(trimPadding(value)) : null;
  return cause === null ? COUNT_RULE : `${COUNT_RULE}; it looks like ${cause}`;
}

/** A counter or uptime: an integer of 0 or more, as a number or as decimal text with blanks round it (D-33); else null. */
export function readCount(value: unknown): number | null {
  if (typeof value === 'string') return readCountText(trimPadding(value));
  // Adding 0 turns -0 into 0.
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value + 0 : null;
}

function readCountText(text: string): number | null {
  const digits = readDigits(text);
  if (digits !== null || text.length > MAX_NUMBER_LENGTH || !DECIMAL.test(text)) return digits;
  return readCount(Number(text));
}

/** An integer in digits alone; null if the text is not one. */
export function readDigits(text: string): number | null {
  if (text.length === 0 || text.length > MAX_COUNT_DIGITS) return null;
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index);
    if (code < DIGIT_0 || code > DIGIT_9) return null;
  }
  return readCount(Number(text));
}

/** A text that is longer with its padding is malformed: V8 would keep the whole text in memory for the part without padding. */
const MAX_PADDED_LENGTH = 1_024;

/**
 * Text, or a number as text, without the blanks and NULs that PLCs pad with; null when it is neither or too long. A larger
 * number has lost its last digits in JSON already, so it would name another part or person.
 */
function readText(value: unknown): string | null {
  if (typeof value === 'number') return Math.abs(value) > Number.MAX_SAFE_INTEGER ? null : String(value);
  if (typeof value !== 'string' || value.length > MAX_PADDED_LENGTH) return null;
  const text = trimPadding(value);
  return text.length > MAX_TEXT_LENGTH ? null : text;
}

const QUOTE = 0x22;

/** The text of a payload that is one value alone: without a byte order mark and padding. */
export function loneText(payload: string): string {
  return trimPadding(withoutMark(payload));
}

/** The text of a payload that is a boolean or a number: the quotes that senders of JSON put round it are left out, too. */
export function loneValue(payload: string): string {
  const text = loneText(payload);
  const last = text.length - 1;
  const isQuoted = last > 0 && text.charCodeAt(0) === QUOTE && text.charCodeAt(last) === QUOTE;
  return isQuoted ? trimPadding(text.slice(1, last)) : text;
}

/** Text without surrounding white space and NULs, which fixed-length PLC strings carry. */
function trimPadding(text: string): string {
  let start = 0;
  let end = text.length;
  while (start < end && text.charCodeAt(start) <= SPACE) start++;
  while (end > start && text.charCodeAt(end - 1) <= SPACE) end--;
  return start === 0 && end === text.length ? text : text.slice(start, end);
}

type ReadStatus = Result<{ readonly status: FullStatus }>;

/** Reads a status from a payload, or says why it is no status, with the likely cause. */
export function readStatus(text: string): ReadStatus {
  const read = parsePayload(text);
  if (!read.ok) return read;
  const parsed = parseStatus(read.body);
  return parsed.ok ? parsed : { ok: false, faults: [...causesOfRefusal(read.body), ...parsed.faults] };
}

/** Reads a status from the topic of that machine, or gives the reason for which it is no status of that machine. */
export function ownStatus(text: string, machineId: MachineId): ReadStatus {
  const read = readStatus(text);
  if (!read.ok || read.status.machineId === machineId) return read;
  const expected = `${machineId}, whose topic it came on`;
  return { ok: false, faults: [{ path: 'machineId', found: foundText(read.status.machineId), expected }] };
}
