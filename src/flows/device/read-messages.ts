import { CodedError, foundText, invalidInput } from '../../domain/error.ts';
import { isJsonObject } from '../../domain/json/json-limits.ts';
import type { MachineId } from '../../domain/machine/machine-names.ts';
import { causesOfRefusal } from '../../domain/machine/status/likely-cause.ts';
import { parsePayload } from '../../domain/machine/status/payload.ts';
import { type FullStatus, parseStatus } from '../../domain/machine/status/status.ts';
import { keyOfField } from '../../domain/machine/status/status-fields.ts';
import { type FieldUpdate, parseStatusField } from '../../domain/machine/status/status-topic.ts';

/** Reads a status from a payload, or says why it is no status, with the likely cause. */
export function readStatus(text: string): FullStatus | CodedError {
  const body = parsePayload(text);
  if (body instanceof CodedError) return body;
  const parsed = parseStatus(body);
  return parsed.ok ? parsed.status : invalidInput([...causesOfRefusal(body), ...parsed.faults]);
}

/** Reads a status from the topic of that machine, or gives the reason for which it is no status of that machine. */
export function ownStatus(text: string, machineId: MachineId): FullStatus | CodedError {
  const status = readStatus(text);
  if (status instanceof CodedError || status.machineId === machineId) return status;
  return invalidInput([
    { path: 'machineId', found: foundText(status.machineId), expected: `${machineId}, whose topic it came on` },
  ]);
}

/** Reads one field from the topic of that machine, or gives the reason for which it is no field of that machine. */
export function ownField(name: string, text: string, machineId: MachineId): FieldUpdate | CodedError {
  const parsed = parseStatusField(name, text);
  if (!parsed.ok) return invalidInput(parsed.faults);
  const { update } = parsed;
  if (update.field !== 'machineId' || update.value === machineId) return update;
  return invalidInput([{ path: 'status/machineId', found: foundText(update.value), expected: machineId }]);
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
