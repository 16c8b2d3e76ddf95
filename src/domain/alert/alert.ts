import { type RuleKind, SEVERITY, type Severity } from './alert-rule.ts';

/** `over` is told when it ended, `taken` when a person took it. */
export type Telling = 'opened' | 'escalated' | 'taken' | 'over';

/** Something that a recipient is still to be told, since `at`. */
export interface Owed {
  readonly recipientId: string;
  readonly telling: Telling;
  readonly at: number;
}

/** Something that a recipient was told, and by which channels; the names are those of that time. */
export interface Told extends Owed {
  readonly name: string;
  readonly by: readonly string[];
}

/** The subject of an alert. */
export interface AlertCause {
  readonly ruleId: string;
  readonly kind: RuleKind;
  /** The id of the machine, task, certificate, channel or other gateway; empty for this gateway. With a variable: machine and name. */
  readonly subject: string;
  /** The name of it for people. */
  readonly name: string;
  readonly machineId: string | null;
  readonly area: string | null;
  /** The variable's name, or the machine of a task. */
  readonly detail: string | null;
  /** The value that broke the limit, where there is one. */
  readonly value: number | null;
  /** The broken limit. */
  readonly limit: number;
  readonly side: 'under' | 'over' | null;
}

/** An alert, as it is kept. Times are wall-clock milliseconds since 1970. */
export interface Alert extends AlertCause {
  readonly alertId: string;
  /** When the cause began. */
  readonly beganAt: number;
  readonly openedAt: number;
  readonly endedAt: number | null;
  readonly takenBy: string | null;
  readonly takenAt: number | null;
  readonly note: string | null;
  /** The steps of the rule that were taken. */
  readonly steps: number;
  /** When the next step is due if nobody takes it; null without one. */
  readonly nextStepAt: number | null;
  readonly owed: readonly Owed[];
  readonly told: readonly Told[];
}

export function severityOf({ kind }: Pick<AlertCause, 'kind'>): Severity {
  return SEVERITY[kind];
}

/** The alert of a rule about one subject: there is one at a time. */
export function alertKey({ ruleId, subject }: Pick<AlertCause, 'ruleId' | 'subject'>): string {
  return `${ruleId} ${subject}`;
}

/** The recipients that know of an alert. */
export function knowing({ told }: Pick<Alert, 'told'>): ReadonlySet<string> {
  return new Set(told.map(({ recipientId }) => recipientId));
}
