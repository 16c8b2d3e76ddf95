import type { AuditEntry } from '../../domain/audit/audit-entry.ts';
import type { Clock } from '../ports.ts';
import type { Store } from '../store-ports.ts';
import type { JsonText } from '../warehouse/warehouse-ports.ts';
import type { AuditPage, AuditQuery } from './audit-ports.ts';

export interface AuditOptions {
  readonly store: Pick<Store, 'record' | 'auditPage' | 'auditText'>;
  readonly clock: Clock;
  readonly newId: () => string;
}

/** Keeps the acts of people and keys in a chain that reveals later changes. */
export class Audit {
  readonly #options: AuditOptions;

  constructor(options: AuditOptions) {
    this.#options = options;
  }

  /** Kept from the next commit on. The act itself never fails because of it. */
  note(entry: Omit<AuditEntry, 'entryId' | 'at'>): void {
    const { store, clock, newId } = this.#options;
    store.record([{ kind: 'audit', entry: { ...entry, entryId: newId(), at: Math.round(clock.now().wallMs) } }]);
  }

  page(query: AuditQuery): Promise<AuditPage> {
    return this.#options.store.auditPage(query);
  }

  /** A page as JSON, which the main thread need not read. */
  text(query: AuditQuery): Promise<JsonText> {
    return this.#options.store.auditText(query);
  }
}
