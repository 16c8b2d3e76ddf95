import type { Sender } from './counters/sender.ts';
import type { Downtime, ShiftRecord } from './records.ts';
import type { FullStatus } from './status/status.ts';
import type { FieldUpdate } from './status/status-topic.ts';

/** The events of a machine. Times `at` are wall-clock milliseconds since 1970. */
export type MachineInput =
  /** A full JSON status and the client that sent it; `duplicate` is the DUP flag of MQTT: with it, a status older than the last is no reboot. */
  | {
      readonly type: 'status';
      readonly status: FullStatus;
      readonly duplicate: boolean;
      readonly sender: Sender | null;
    }
  /** One field alone (MQTT-04). */
  | {
      readonly type: 'field';
      readonly update: FieldUpdate;
      readonly duplicate: boolean;
      readonly sender: Sender | null;
    }
  /** Time has passed: finds silence, a stop past its grace, an idle work session, the next shift. */
  | { readonly type: 'clock' }
  | {
      readonly type: 'selectPart';
      readonly partId: string;
      readonly partName: string | null;
      readonly at: number;
      readonly by: 'device' | 'person';
    }
  | { readonly type: 'clearPart'; readonly at: number }
  /** Downtimes that a person changed and the store committed: categorized, split or merged, and ids removed by merging. */
  | {
      readonly type: 'downtimesChanged';
      readonly downtimes: readonly Downtime[];
      readonly removedIds: readonly string[];
    }
  /** The wall clock was put right by `deltaMs`; times noted since `sinceAt`, by the old clock, move with it (D-04). */
  | { readonly type: 'clockCorrected'; readonly deltaMs: number; readonly sinceAt: number }
  /** The stored totals of its shifts, for the recount that a correction of the clock began (D-04). */
  | { readonly type: 'shiftsRecounted'; readonly recount: number; readonly shifts: readonly ShiftRecord[] };
