import type { AuditEntry, ChainedEntry } from '../../domain/audit/audit-entry.ts';
import type { TimeSpan } from '../../domain/time-spans.ts';

/** One more act; the store gives it its place in the chain. */
export interface AuditRecord {
  readonly kind: 'audit';
  readonly entry: AuditEntry;
}

export interface AuditQuery {
  /** Only entries before this number; null: from the newest on. */
  readonly before: number | null;
  readonly take: number;
  /** Only entries with one of these in the person, the act, the subject or the change; empty: all entries. */
  readonly texts: readonly string[];
  /** Only entries that name this gateway too; left out: all entries. */
  readonly gatewayId?: string | undefined;
  /** Only entries of this time; null: of all times. */
  readonly range: TimeSpan | null;
}

export interface AuditPage {
  /** Newest first. */
  readonly entries: readonly ChainedEntry[];
  /** `before` of the next page; null: there are no older ones. */
  readonly next: number | null;
  /** All entries, of the time that was asked for; with a text those that were found, if there are no older ones to look through, else null. */
  readonly total: number | null;
}
