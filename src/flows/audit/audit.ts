import type { AuditEntry } from '../../domain/audit/audit-entry.ts';
import { calendarDay } from '../../domain/shift/shift-dates.ts';
import type { Plant } from '../plant/plant.ts';
import type { Clock } from '../ports.ts';
import type { Store } from '../store-ports.ts';
import type { JsonText } from '../warehouse/warehouse-ports.ts';
import type { AuditPage, AuditQuery } from './audit-ports.ts';

export interface AuditOptions {
  readonly store: Pick<Store, 'record' | 'auditPage' | 'auditText'>;
  readonly plant: Pick<Plant, 'machines' | 'downtimeReasons' | 'parts'>;
  readonly timeZone: string;
  readonly clock: Clock;
  readonly newId: () => string;
}

/** A text names at most so many records: one letter stands in nearly all names. */
const MAX_NAMED = 20;

export interface AuditQuestion extends Pick<AuditQuery, 'before' | 'take' | 'gatewayId'> {
  /** Searched in the entries, and in the names of machines, reasons and parts; null: all entries. */
  readonly text: string | null;
  /** Only entries of this day in the plant, as YYYY-MM-DD; null: of all days. */
  readonly date: string | null;
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

  page(question: AuditQuestion): Promise<AuditPage> {
    return this.#options.store.auditPage(this.#query(question));
  }

  /** A page as JSON, which the main thread need not read. */
  text(question: AuditQuestion): Promise<JsonText> {
    return this.#options.store.auditText(this.#query(question));
  }

  /** Entries hold ids. People search by the names of machines, reasons and parts. */
  #query({ before, take, gatewayId, text, date }: AuditQuestion): AuditQuery {
    const { plant, timeZone } = this.#options;
    const named = text === null ? [] : idsNamed(plant, text.toLowerCase());
    return {
      before,
      take,
      gatewayId,
      texts: text === null ? [] : [text, ...named.slice(0, MAX_NAMED)],
      range: date === null ? null : calendarDay(date, timeZone),
    };
  }
}

function idsNamed(plant: AuditOptions['plant'], text: string): readonly string[] {
  const names: readonly (readonly [string, string | undefined])[] = [
    ...plant.machines().map(({ machineId, name }) => [machineId, name] as const),
    ...plant.downtimeReasons().map(({ id, reason }) => [id, reason] as const),
    ...plant.parts().map(({ partId, partName }) => [partId, partName] as const),
  ];
  return names.flatMap(([id, name]) => (name?.toLowerCase().includes(text) === true ? [id] : []));
}
