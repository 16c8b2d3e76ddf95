import type { StatusFieldName } from '../../domain/machine/status/status-fields.ts';
import type { Range } from '../random.ts';

/** A part that a machine can make, and the length of a piece. */
export interface SamplePart {
  readonly partId: string;
  readonly partName: string;
  readonly lengthFt: number;
}

/** `json`: MQTT, whole statuses; `fields`: MQTT, one value a topic, as simple PLCs do; `http`: polling. */
type Transport = 'json' | 'fields' | 'http';

/** The reason for which a machine stands still by itself. */
export type StopKind = 'boot' | 'setUp' | 'coilChange' | 'break' | 'fault';

/** The frequency and duration of the events of a machine; null for never. */
export interface MachinePace {
  readonly setUpMs: Range;
  readonly coilChangeMs: Range;
  readonly breakMs: Range;
  readonly breakEveryMs: number;
  readonly faultMs: Range;
  readonly faultEveryMs: number | null;
  readonly silentMs: Range;
  readonly silentEveryMs: number | null;
  readonly rebootEveryMs: number | null;
  readonly shiftMs: number;
  /** The time that the operator waits for the server's permission before turning the override on. */
  readonly patienceMs: number;
}

/** Everything about a simulated machine that does not change. */
export interface SimulatedMachine {
  readonly machineId: string;
  readonly topicRoot: string;
  readonly transport: Transport;
  /** Its programmer's spelling of some fields (interface.md, the alias table); the others have their canonical names. */
  readonly spelling: Partial<Readonly<Record<StatusFieldName, string>>>;
  readonly statusIntervalMs: { readonly running: number; readonly stopped: number };
  readonly seed: number;
  readonly ratedSpeedFtPerMinute: number;
  readonly coilLengthFt: Range;
  readonly jobParts: Range;
  readonly firstPart: SamplePart;
  readonly otherParts: readonly SamplePart[];
  readonly operators: readonly string[];
  readonly switchesOffAtBreaks: boolean;
  readonly pace: MachinePace;
}
