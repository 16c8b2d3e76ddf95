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
  const body = { ...withoutNulls(known), ...part, timestamp: new Date(at).toISOString() };
  return { machineId, at, why, json: JSON.stringify(body) };
}

function withoutNulls(known: MachineState['known']): object {
  return Object.fromEntries(Object.entries(known).filter(([, value]) => value !== null));
}
