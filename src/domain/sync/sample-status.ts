import type { MachineState } from '../machine/machine-state.ts';
import type { SampleReason, StatusSample } from './status-sample.ts';

/**
 * A machine's status as the central server is told it: a Device status message (interface.md) with the part that is
 * selected here (D-28) and the time it was heard at. Null: the machine has not said all that such a message has to have.
 */
export function statusSample(
  { known, heard, selection }: Pick<MachineState, 'known' | 'heard' | 'selection'>,
  why: SampleReason,
): StatusSample | null {
  const { machineId, running, override, mSecSinceBoot, cycle, goodPart, badPart } = known;
  if (heard === null || running === null || override === null || mSecSinceBoot === null) return null;
  if (cycle === null || goodPart === null || badPart === null) return null;
  const at = Math.round(heard.wallMs);
  const part = selection === null ? {} : { partId: selection.partId, partName: selection.partName ?? undefined };
  return stamped({ machineId, at, why }, { ...withoutNulls(known), ...part });
}

/** The same status, heard at another time: the clock was corrected since it was written (D-04). */
export function correctedSample(sample: StatusSample, at: number): StatusSample {
  return at === sample.at ? sample : stamped({ ...sample, at }, JSON.parse(sample.json));
}

/** Its time is ours, for the interface gives a status none (D-26). */
function stamped(sample: Omit<StatusSample, 'json'>, fields: object): StatusSample {
  return { ...sample, json: JSON.stringify({ ...fields, timestamp: new Date(sample.at).toISOString() }) };
}

/** As undefined, nulls are left out of JSON: this is done for every sample, and far quicker than by entries. */
function withoutNulls(known: MachineState['known']): object {
  const fields: Record<string, unknown> = { ...known };
  for (const name of Object.keys(fields)) if (fields[name] === null) fields[name] = undefined;
  return fields;
}
