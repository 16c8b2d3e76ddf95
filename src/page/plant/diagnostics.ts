/** One trouble with its subject, as `/diagnostics` has it. */
export interface Trouble {
  readonly subject: string;
  readonly detail: string;
  readonly count: number;
  readonly lastAt: string;
  readonly address: string | null;
  readonly faults: readonly Fault[];
}

/** One thing that was wrong. `topicRoot`: the device uses it, and it is not that of its machine. */
export interface Fault extends Omit<Trouble, 'subject' | 'faults'> {
  readonly meantFor: string | null;
  readonly topicRoot: string | null;
  readonly isDismissed: boolean;
}

export interface Diagnostics {
  readonly counts: Readonly<Record<string, number>>;
  readonly [kind: string]: unknown;
}

/** The subjects of one kind of trouble, newest first. */
export function troublesOf(diagnostics: Diagnostics, kind: string): readonly Trouble[] {
  return (diagnostics[kind] ?? []) as readonly Trouble[];
}
