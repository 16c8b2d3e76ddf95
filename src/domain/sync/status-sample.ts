import type { MachineId } from '../machine/machine-id.ts';

/**
 * Why a status is sent on (D-26). Counters are cumulative, so what has to arrive for production to be whole is the last
 * status of each boot, one where the part changed, and the newest; the others say what the machine did in between.
 */
export type SampleReason = 'bootEnd' | 'partChange' | 'change' | 'repeat';

/** A status for the central server. `json` is the body of `POST /api/device/status`, with its `timestamp`. */
export interface StatusSample {
  readonly machineId: MachineId;
  /** Wall-clock milliseconds since 1970. */
  readonly at: number;
  readonly why: SampleReason;
  readonly json: string;
}
