import type { PlanPartName } from './fleet-plan.ts';
import type { PlanDifference } from './plan-difference.ts';

/** A record of the plan, or its shifts, that a gateway does not have as the plan says. */
export interface PlanDeviation extends PlanPartName {
  /**
   * `edited`, `removed`: a person changed or removed it there, and the plan does not overwrite that. `kept`: the plan has
   * left it out, but it was edited there, or another record refers to it. `absent`: that gateway has no such machine.
   * `fixed`: its configuration says the shifts. `restart`: the shifts count from its next start on.
   */
  readonly why: (typeof DEVIATIONS)[number];
  readonly fields: readonly string[];
}

export const DEVIATIONS = ['edited', 'removed', 'kept', 'absent', 'fixed', 'restart'] as const;

/** What a gateway tells about the plan of its group (D-106). Durations instead of times, as in its whole report. */
export interface PlanReport {
  readonly groupId: string;
  /** The version that it has; null: none yet. */
  readonly version: number | null;
  readonly appliedForMs: number | null;
  /** The newest version that it refused, with the reasons; nothing of it was applied. */
  readonly refused: { readonly version: number; readonly faults: readonly string[] } | null;
  /** All deviations, and the first of them. */
  readonly deviationCount: number;
  readonly deviations: readonly PlanDeviation[];
  /** What a version would change there, if it was asked. */
  readonly preview: PlanPreview | null;
}

export interface PlanPreview {
  readonly version: number;
  /** The reasons for which it would be refused. */
  readonly faults: readonly string[];
  readonly changeCount: number;
  readonly changes: readonly PlanDifference[];
}

/** Deviations and changes in one report; the rest is only counted. */
export const MAX_TOLD_RECORDS = 50;
/** Faults in one report. */
export const MAX_TOLD_FAULTS = 10;
/** Characters of a fault in a report. */
export const MAX_FAULT_LENGTH = 300;
