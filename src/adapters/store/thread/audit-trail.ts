import { hash } from 'node:crypto';
import { type AuditEntry, type ChainedEntry, chainText, FIRST_HASH } from '../../../domain/audit/audit-entry.ts';
import type { AuditPage, AuditQuery } from '../../../flows/audit/audit-ports.ts';
import type { JsonText } from '../../../flows/warehouse/warehouse-ports.ts';
import type { Connection } from './database/connection.ts';
import { insertInto } from './database/insert-into.ts';
import { folded } from './database/letter-case.ts';
import { audit } from './database/schema/store.ts';
import { jsonTextOf } from './warehouse/json-text.ts';

/**
 * The number of entries that one question looks through. A search for a text that does not occur would otherwise delay
 * the store.
 */
const SCANNED_ENTRIES = 20_000;

interface Row extends Omit<ChainedEntry, 'entryId'> {
  readonly entry_id: string;
}

/** The chain of the acts of people and keys. No entry is ever changed; retention removes the oldest part. */
export class AuditTrail {
  readonly #newest;
  readonly #insert;
  readonly #page;
  readonly #bounds;

  constructor(connection: Connection) {
    this.#newest = connection.prepare<[], string>('SELECT hash FROM audit ORDER BY number DESC LIMIT 1').pluck();
    this.#insert = insertInto(connection, audit, {
      without: ['number'],
      onConflict: 'ON CONFLICT (entry_id) DO NOTHING',
    });
    // Two queries, because SQLite looks through all entries for a minimum and a maximum in one.
    this.#bounds = connection.prepare<[], { first: number | null; last: number | null }>(
      'SELECT (SELECT min(number) FROM audit) AS first, (SELECT max(number) FROM audit) AS last',
    );
    this.#page = connection.prepare<[object], Row>(`
      SELECT * FROM audit
      WHERE number < @before AND number >= @from
        AND (@text IS NULL OR instr(folded(who || ' ' || act || ' ' || subject), @text) > 0)
      ORDER BY number DESC LIMIT @take
    `);
  }

  /** To be called within a transaction. A batch that comes again adds nothing. */
  write(entry: AuditEntry): void {
    const previous = this.#newest.get() ?? FIRST_HASH;
    this.#insert({ ...entry, previous, hash: hash('sha256', chainText(previous, entry)) });
  }

  page({ before, take, text }: AuditQuery): AuditPage {
    const { first, last } = this.#bounds.get() ?? { first: null, last: null };
    if (first === null || last === null) return { entries: [], next: null, total: 0 };
    const top = before ?? last + 1;
    const from = Math.max(first, top - SCANNED_ENTRIES);
    const rows = this.#page.all({ before: top, from, take, text: text === null ? null : folded(text) });
    const lowest = rows.length === take ? (rows.at(-1)?.number ?? from) : from;
    const next = lowest > first ? lowest : null;
    // Numbers follow each other without a gap: only the oldest entries are ever removed.
    const all = text === null ? last - first + 1 : null;
    return { entries: rows.map(entryOf), next, total: all ?? (before === null && next === null ? rows.length : null) };
  }

  /** A page as JSON. */
  text(query: AuditQuery): JsonText {
    return jsonTextOf(JSON.stringify(this.page(query)));
  }
}

function entryOf({ entry_id: entryId, ...row }: Row): ChainedEntry {
  return { entryId, ...row };
}
