import type { EntryKind, FileKind } from '../../domain/plant/plant-entry.ts';

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

/**
 * A plant file that comes in pieces and is applied as one, all or nothing. Refusals are CodedErrors: `invalid-input`
 * with paths as in the file, `not-found` for a load that does not exist or has ended, `rate-limited`, `too-large`.
 */
export interface PlantLoads {
  /** Gives the id of a new load, which is forgotten if no piece comes for a while. */
  begin(): string;
  /** Adds records of a kind, of about this size, behind those it has; the load ends if they are refused. */
  add(loadId: string, kind: EntryKind, records: readonly unknown[], bytes: number): Promise<void>;
  /** The same with orders, each a JSON text. */
  addOrders(loadId: string, texts: readonly string[]): void;
  /** Applies it in a principal's name, or lists the changes (`dryRun`). The load ends with it. */
  finish(loadId: string, dryRun: boolean, principal: string): Promise<LoadOutcome>;
  discard(loadId: string): void;
}
