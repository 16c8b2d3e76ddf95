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

/** The characters of a change that are searched: a new order has thousands. */
const SEARCHED_CHANGE = 300;

interface Row extends Omit<ChainedEntry, 'entryId'> {
  readonly entry_id: string;
}

/** The chain of the acts of people and keys. No entry is ever changed; retention removes the oldest part. */
export class AuditTrail {
  readonly #newest;
  readonly #insert;
  readonly #page;
  readonly #bounds;
  readonly #at;

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
    this.#at = connection.prepare<[number], number>('SELECT at FROM audit WHERE number = ?').pluck();
    this.#page = connection.prepare<[object], Row>(`
      SELECT * FROM audit
      WHERE number < @before AND number >= @from
        AND (@texts IS NULL OR EXISTS (
          SELECT 1 FROM json_each(@texts)
          WHERE instr(
            folded(who || ' ' || act || ' ' || subject || ' ' || substr(ifnull(before, ''), 1, ${SEARCHED_CHANGE})
              || ' ' || substr(ifnull(after, ''), 1, ${SEARCHED_CHANGE})),
            value
          ) > 0
        ))
      ORDER BY number DESC LIMIT @take
    `);
  }

  /** To be called within a transaction. A batch that comes again adds nothing. */
  write(entry: AuditEntry): void {
    const previous = this.#newest.get() ?? FIRST_HASH;
    this.#insert({ ...entry, previous, hash: hash('sha256', chainText(previous, entry)) });
  }

  page({ before, take, texts, range }: AuditQuery): AuditPage {
    const { first: oldest, last } = this.#bounds.get() ?? { first: null, last: null };
    if (oldest === null || last === null) return { entries: [], next: null, total: 0 };
    const end = range === null ? last + 1 : this.#firstSince(range.to, oldest, last);
    const first = range === null ? oldest : this.#firstSince(range.from, oldest, last);
    const top = Math.min(before ?? end, end);
    const from = Math.max(first, top - SCANNED_ENTRIES);
    const sought = texts.length === 0 ? null : JSON.stringify(texts.map(folded));
    const rows = this.#page.all({ before: top, from, take, texts: sought });
    const lowest = rows.length === take ? (rows.at(-1)?.number ?? from) : from;
    const next = lowest > first ? lowest : null;
    // Numbers follow each other without a gap: only the oldest entries are ever removed.
    const all = texts.length === 0 ? end - first : null;
    return { entries: rows.map(entryOf), next, total: all ?? (before === null && next === null ? rows.length : null) };
  }

  /** The number of the first entry at a time or later: entries are numbered in the order of time. */
  #firstSince(wallMs: number, oldest: number, last: number): number {
    let [low, high] = [oldest, last + 1];
    while (low < high) {
      const middle = Math.floor((low + high) / 2);
      if ((this.#at.get(middle) ?? 0) < wallMs) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /** A page as JSON. */
  text(query: AuditQuery): JsonText {
    return jsonTextOf(JSON.stringify(this.page(query)));
  }
}

function entryOf({ entry_id: entryId, ...row }: Row): ChainedEntry {
  return { entryId, ...row };
}
