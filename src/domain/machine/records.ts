import type { MachineReading, ShiftTotals } from './counters/counters.ts';
import type { MachineId } from './machine-names.ts';

/** The records of a machine on disk. Times are wall-clock milliseconds since 1970 (`…At`), durations milliseconds (`…Ms`). */

/** The activity of a machine in one stretch of time; exactly one holds at any moment. */
export type Activity = 'running' | 'stopped' | 'down' | 'fault' | 'offline';

/** One stretch of time in one activity. `endedAt` is null while it lasts. */
export interface Span {
  readonly spanId: string;
  readonly machineId: MachineId;
  readonly activity: Activity;
  readonly startedAt: number;
  readonly endedAt: number | null;
}

/** A stop that needs a category (rule 4, D-07). */
export interface Downtime {
  readonly downtimeId: string;
  readonly machineId: MachineId;
  readonly startedAt: number;
  readonly endedAt: number | null;
  readonly reasonId: string | null;
  readonly note: string | null;
  readonly userName: string | null;
}

/**
 * `shiftDate` is YYYY-MM-DD, the date on which the first shift of that production day starts. Production up to
 * `reading` is in these totals or in those of earlier shifts; `reading` is absent if not all counters are known.
 */
export interface ShiftRecord {
  readonly machineId: MachineId;
  readonly shiftDate: string;
  readonly shiftName: string;
  readonly totals: ShiftTotals;
  readonly reading?: MachineReading;
}

/**
 * A machine's counters are all known again after the gateway was away, or known for the first time. Production since it was
 * heard before, at `since` (null: never), is in the totals of this shift and of this work session as they were at `at`.
 */
export interface CatchUp {
  readonly since: number | null;
  readonly at: number;
  readonly reading: MachineReading;
  readonly shift: Omit<ShiftRecord, 'reading'>;
  readonly session: WorkSession | null;
}

/** The amount that one operator made of one part for one job (D-10). `lastActiveAt` is when it last ran or made something. */
export interface WorkSession {
  readonly sessionId: string;
  readonly machineId: MachineId;
  readonly jobNumber: string | null;
  readonly partId: string | null;
  readonly userId: string | null;
  readonly startedAt: number;
  readonly lastActiveAt: number;
  readonly endedAt: number | null;
  readonly goodParts: number;
  readonly badParts: number;
  readonly cycles: number;
}

/** A work session without the fields that change with every moment of work. */
export type SessionWork = Omit<WorkSession, 'lastActiveAt'>;

/** The part that a machine makes, with the time and the author of the choice (D-09: the latest choice wins). */
export interface PartSelection {
  readonly partId: string;
  readonly partName: string | null;
  readonly selectedAt: number;
  readonly selectedBy: 'device' | 'person';
}

/** Production of a quarter of an hour of a shift. */
export interface ProductionQuarter {
  readonly shiftName: string;
  readonly startsAt: number;
  readonly goodParts: number;
  readonly badParts: number;
}

/** A time in which a machine ran in override. `endedAt` is null while it lasts. */
export interface OverrideSpan {
  readonly startedAt: number;
  readonly endedAt: number | null;
}

/** A counter that fell without a reboot (D-02). */
export interface CounterAnomaly {
  readonly machineId: MachineId;
  readonly at: number;
  readonly counter: 'cycle' | 'goodPart' | 'badPart';
  readonly from: number;
  readonly to: number;
}
