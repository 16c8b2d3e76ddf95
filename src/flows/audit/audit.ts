import type { Clock } from '../ports.ts';
import type { Store } from '../store-ports.ts';
import type { JsonText } from '../warehouse/warehouse-ports.ts';
import type { AuditApi, AuditPage, AuditQuery } from './audit-ports.ts';

export interface AuditOptions {
  readonly store: Pick<Store, 'record' | 'auditPage' | 'auditText'>;
  readonly clock: Clock;
  readonly newId: () => string;
}

/** Keeps the acts of people and keys in a chain that reveals later changes. */
export class Audit implements AuditApi {
  readonly #options: AuditOptions;

  constructor(options: AuditOptions) {
    this.#options = options;
  }

  note(entry: Parameters<AuditApi['note']>[0]): void {
    const { store, clock, newId } = this.#options;
    store.record([{ kind: 'audit', entry: { ...entry, entryId: newId(), at: Math.round(clock.now().wallMs) } }]);
  }

  page(query: AuditQuery): Promise<AuditPage> {
    return this.#options.store.auditPage(query);
  }

  text(query: AuditQuery): Promise<JsonText> {
    return this.#options.store.auditText(query);
  }
}
