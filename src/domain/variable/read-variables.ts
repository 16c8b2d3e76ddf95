import { CodedError, foundText, invalidInput } from '../error.ts';
import { isJsonObject } from '../json/json-limits.ts';
import { parsePayload } from '../machine/status/payload.ts';
import { loneValue } from '../machine/status/status.ts';
import { keyOfField } from '../machine/status/status-fields.ts';

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

/** Variables whose body names the machine, by the same key as in a status (DEV-03 to DEV-05). */
export interface NamedVariables {
  readonly machineId: string;
  readonly values: Readonly<Record<string, unknown>>;
}

export function readNamedVariables(text: string): NamedVariables | CodedError {
  const body = parsePayload(text);
  if (body instanceof CodedError) return body;
  if (!isJsonObject(body)) return invalidInput([{ path: 'body', found: foundText(body), expected: 'a JSON object' }]);
  const key = keyOfField(body, 'machineId') ?? 'machineId';
  const { [key]: machineId, ...values } = body;
  if (typeof machineId === 'string') return { machineId, values };
  const fault = { path: 'machineId', found: foundText(machineId), expected: 'the id of a configured machine' };
  return invalidInput([fault]);
}
