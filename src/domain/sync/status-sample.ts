import type { MachineId } from '../machine/machine-names.ts';
import type { MachineState } from '../machine/machine-state.ts';
import type { KnownStatus } from '../machine/status/status.ts';
import type { CounterName } from '../machine/status/status-fields.ts';

/**
 * The reason for which a status is sent on (D-26). Counters are cumulative, so production is complete with the last
 * status of each boot and the first of the next, which are both called `bootEnd`, those at a change of the part, and the
 * newest one. The others show the machine's activity in between.
 */
export type SampleReason = 'bootEnd' | 'partChange' | 'change' | 'repeat';

/**
 * Gives the status of a machine before its counters fell, until the next mSecSinceBoot explains the fall (MQTT-04). Single
 * fields of a new boot may come before that, and the server must not get them with the mSecSinceBoot of the old boot. The
 * other counters of such a round may belong to the new boot too, so they come from `whole`: its values belong to this
 * mSecSinceBoot for certain. A counter that counted on after its fall stays, because its mSecSinceBoot may never come.
 */
export function knownBeforeFalls(
  { known, falls }: Pick<MachineState, 'known' | 'falls'>,
  whole: KnownStatus,
): KnownStatus {
  const fresh = falls.filter(({ counter, to }) => known[counter] === to);
  if (fresh.length === 0) return known;
  const others = whole.mSecSinceBoot === known.mSecSinceBoot ? whole : known;
  const before = (counter: CounterName) => fresh.find((fall) => fall.counter === counter)?.from ?? others[counter];
  return { ...known, cycle: before('cycle'), goodPart: before('goodPart'), badPart: before('badPart') };
}

/** A status for the central server. `json` is the body of `POST /api/device/status`, with its `timestamp`. */
export interface StatusSample {
  readonly machineId: MachineId;
  /** Wall-clock milliseconds since 1970. */
  readonly at: number;
  readonly why: SampleReason;
  readonly json: string;
}

/**
 * A machine's status as it is sent to the central server: a Device status message (interface.md) with the part that is
 * selected here (D-28) and the time at which it was heard. Null if the machine has not sent all fields that such a
 * message must have.
 */
export function statusSample(
  { known, heard, selection }: Pick<MachineState, 'known' | 'heard' | 'selection'>,
  why: SampleReason,
): StatusSample | null {
  const { machineId, running, override, mSecSinceBoot, cycle, goodPart, badPart } = known;
  if (heard === null || running === null || override === null || mSecSinceBoot === null) return null;
  if (cycle === null || goodPart === null || badPart === null) return null;
  const at = Math.round(heard.wallMs);
  const part = selection ?? known;
  // JSON leaves undefined out. The fields are named one by one: a copy of `known` for each sample would take three times as long.
  const json = JSON.stringify({
    machineId,
    running,
    machinePower: known.machinePower ?? undefined,
    fault: known.fault ?? undefined,
    override,
    mSecSinceBoot,
    cycle,
    goodPart,
    badPart,
    goodPartTotal: known.goodPartTotal ?? undefined,
    goodPartInputs: known.goodPartInputs ?? undefined,
    piecesAtATime: known.piecesAtATime ?? undefined,
    userId: known.userId ?? undefined,
    partId: part.partId ?? undefined,
    partName: part.partName ?? undefined,
    jobNumber: known.jobNumber ?? undefined,
    material: known.material ?? undefined,
    timestamp: new Date(at).toISOString(),
  } satisfies Sent);
  return { machineId, at, why, json };
}

/** The time is ours, because the interface gives a status no time (D-26). */
type Sent = { readonly [Field in keyof KnownStatus]: KnownStatus[Field] | undefined } & { readonly timestamp: string };

/** The same status, heard at another time: the clock was corrected since it was written (D-04). */
export function correctedSample(sample: StatusSample, at: number): StatusSample {
  if (at === sample.at) return sample;
  return { ...sample, at, json: JSON.stringify({ ...JSON.parse(sample.json), timestamp: new Date(at).toISOString() }) };
}
