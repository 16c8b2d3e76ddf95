import { foundText } from '../error.ts';
import { isJsonObject, type JsonObject } from '../json/json.ts';
import { parsePayload } from '../machine/status/payload.ts';
import { loneValue } from '../machine/status/status.ts';
import { keyOfField } from '../machine/status/status-fields.ts';
import type { Result } from '../result.ts';

/** A measurement of a tracked process variable, as a double (VAR-01, VAR-02). */
export interface VariableValue {
  readonly name: string;
  readonly value: number;
}

/** A longer text is no number. */
const MAX_NUMBER_LENGTH = 64;
const PADDING = /^[\s\0]+|[\s\0]+$/g;
const DECIMAL = /^[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?$/;

/**
 * The tracked variables of a JSON object, converted to double. Numbers and numeric text count; everything else is
 * ignored without an error, and so is a name that is not on the tracking list exactly as configured (VAR-01, VAR-02).
 */
export function readVariables(
  body: Readonly<Record<string, unknown>>,
  tracked: ReadonlySet<string>,
): readonly VariableValue[] {
  const variables: VariableValue[] = [];
  for (const name of Object.keys(body)) {
    if (!tracked.has(name)) continue;
    const value = toDouble(body[name]);
    if (value !== null) variables.push({ name, value });
  }
  return variables;
}

/** One variable that came alone as text (`{TopicRoot}/vars/{name}`); null if it is not tracked or not a number. */
export function readVariable(name: string, text: string, tracked: ReadonlySet<string>): VariableValue | null {
  if (!tracked.has(name)) return null;
  const value = toDouble(loneValue(text));
  return value === null ? null : { name, value };
}

function toDouble(value: unknown): number | null {
  const number = typeof value === 'string' ? numberOfText(value) : value;
  return typeof number === 'number' && Number.isFinite(number) ? number : null;
}

/** Decimal text alone: `Number` would also take hexadecimal, `Infinity` and the empty string. */
function numberOfText(text: string): number | null {
  if (text.length > MAX_NUMBER_LENGTH) return null;
  if (DECIMAL.test(text)) return Number(text);
  const digits = text.replace(PADDING, '');
  return DECIMAL.test(digits) ? Number(digits) : null;
}

/** Reads variables from the topic of a machine. */
export function ownVariables(text: string): Result<{ readonly body: JsonObject }> {
  const read = parsePayload(text);
  if (!read.ok) return read;
  if (isJsonObject(read.body)) return { ok: true, body: read.body };
  return refused('vars', read.body, 'a JSON object');
}

/** Variables whose body names the machine, by the same key as in a status (DEV-03 to DEV-05). */
interface NamedVariables {
  readonly machineId: string;
  readonly values: Readonly<Record<string, unknown>>;
}

export function readNamedVariables(text: string): Result<NamedVariables> {
  const read = parsePayload(text);
  if (!read.ok) return read;
  const { body } = read;
  if (!isJsonObject(body)) return refused('body', body, 'a JSON object');
  const key = keyOfField(body, 'machineId') ?? 'machineId';
  const { [key]: machineId, ...values } = body;
  if (typeof machineId === 'string') return { ok: true, machineId, values };
  return refused('machineId', machineId, 'the id of a configured machine');
}

function refused(path: string, found: unknown, expected: string): Result<never> {
  return { ok: false, faults: [{ path, found: foundText(found), expected }] };
}
