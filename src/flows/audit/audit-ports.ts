import type { AuditEntry, ChainedEntry } from '../../domain/audit/audit-entry.ts';

/** One more act; the store gives it its place in the chain. */
export interface AuditRecord {
  readonly kind: 'audit';
  readonly entry: AuditEntry;
}

export interface AuditQuery {
  /** Only entries before this number; null: from the newest on. */
  readonly before: number | null;
  readonly take: number;
  /** Searched in the person, the act and the subject; null for all entries. */
  readonly text: string | null;
}

export interface AuditPage {
  /** Newest first. */
  readonly entries: readonly ChainedEntry[];
  /** `before` of the next page; null: there are no older ones. */
  readonly next: number | null;
  /** All entries; with a text those that were found, if there are no older ones to look through, else null. */
  readonly total: number | null;
}
