import type { FileKind } from '../../domain/plant/plant-entry.ts';

/** One record that is added or changed; `fields` names its changed fields, a secret only by its name. */
export interface RecordDifference {
  readonly kind: FileKind;
  readonly id: string;
  readonly change: 'create' | 'update';
  readonly fields: readonly string[];
}

/** The number of records of a kind that a load named, and their outcomes; the others are unchanged. */
export interface KindCount {
  readonly kind: FileKind;
  readonly named: number;
  readonly created: number;
  readonly updated: number;
}

/** The result of a load, or of its dry run. */
export interface LoadOutcome {
  readonly counts: readonly KindCount[];
  /** The first changes; `counts` counts all. */
  readonly changes: readonly RecordDifference[];
}
