import type { AuditEntry, ChainedEntry } from '../../domain/audit/audit-entry.ts';
import type { JsonText } from '../warehouse/warehouse-ports.ts';

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
}

/** The audit log (contract.md, Local API). */
export interface AuditApi {
  /** Kept from the next commit on. The act itself never fails because of it. */
  note(entry: Omit<AuditEntry, 'entryId' | 'at'>): void;
  page(query: AuditQuery): Promise<AuditPage>;
  /** A page as JSON, which the main thread need not read. */
  text(query: AuditQuery): Promise<JsonText>;
}
