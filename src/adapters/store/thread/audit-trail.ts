import { hash } from 'node:crypto';
import {
  type AuditEntry,
  type ChainedEntry,
  chainText,
  FIRST_HASH,
  namesGateway,
} from '../../../domain/audit/audit-entry.ts';
import type { AuditPage, AuditQuery } from '../../../flows/audit/audit-ports.ts';
import type { JsonText } from '../../../flows/warehouse/warehouse-ports.ts';
import { Slice } from '../../../runtime/slice.ts';
import type { Connection } from './database/connection.ts';
import { insertInto } from './database/insert-into.ts';
import { folded } from './database/letter-case.ts';
import { audit } from './database/schema/store.ts';
import { jsonTextOf } from './warehouse/json-text.ts';

/** The number of entries that one question looks through. A search for a text that does not occur would otherwise take long. */
const SCANNED_ENTRIES = 20_000;
/** Entries that are looked through at once; commits get their turn between two reads. */
const ENTRIES_AT_ONCE = 250;

/** The characters of a change that are searched: a new order has thousands. */
const SEARCHED_CHANGE = 300;

interface Row extends Omit<ChainedEntry, 'entryId'> {
  readonly entry_id: string;
}

type Search = Pick<AuditQuery, 'texts' | 'gatewayId'>;

/** The chain of the acts of people and keys. No entry is ever changed; retention removes the oldest part. */
export class AuditTrail {
  readonly #newest;
  readonly #insert;
  readonly #newestOf;
  readonly #entry;
  readonly #texts;
  readonly #naming;
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
    this.#newestOf = connection.prepare<[number, number, number], Row>(
      'SELECT * FROM audit WHERE number < ? AND number >= ? ORDER BY number DESC LIMIT ?',
    );
    this.#entry = connection.prepare<[number], Row>('SELECT * FROM audit WHERE number = ?');
    const change = (column: string) => `substr(ifnull(${column}, ''), 1, ${SEARCHED_CHANGE})`;
    this.#texts = connection.prepare<[number, number], { number: number; text: string }>(
      `SELECT number, concat_ws(' ', who, act, subject, ${change('before')}, ${change('after')}) AS text
       FROM audit WHERE number < ? AND number >= ? ORDER BY number DESC`,
    );
    // The whole change, because an update may name many gateways.
    this.#naming = connection.prepare<[number, number, string], Row>(
      `SELECT * FROM audit WHERE number < ? AND number >= ? AND instr(concat_ws(' ', subject, before, after), ?) > 0
       ORDER BY number DESC`,
    );
  }

  /** To be called within a transaction. A batch that comes again adds nothing. */
  write(entry: AuditEntry): void {
    const previous = this.#newest.get() ?? FIRST_HASH;
    this.#insert({ ...entry, previous, hash: hash('sha256', chainText(previous, entry)) });
  }

  async page({ before, take, range, ...search }: AuditQuery): Promise<AuditPage> {
    const { first: oldest, last } = this.#bounds.get() ?? { first: null, last: null };
    if (oldest === null || last === null) return { entries: [], next: null, total: 0 };
    const end = range === null ? last + 1 : this.#firstSince(range.to, oldest, last);
    const first = range === null ? oldest : this.#firstSince(range.from, oldest, last);
    const top = Math.min(before ?? end, end);
    const from = Math.max(first, top - SCANNED_ENTRIES);
    const isSearch = search.texts.length > 0 || search.gatewayId !== undefined;
    const rows = isSearch
      ? (await this.#found({ ...search, texts: search.texts.map(folded) }, top, from, take)).flatMap(
          (number) => this.#entry.get(number) ?? [],
        )
      : this.#newestOf.all(top, from, take);
    const lowest = rows.length === take ? (rows.at(-1)?.number ?? from) : from;
    const next = lowest > first ? lowest : null;
    // Numbers follow each other without a gap: only the oldest entries are ever removed.
    const all = isSearch ? null : end - first;
    return { entries: rows.map(entryOf), next, total: all ?? (before === null && next === null ? rows.length : null) };
  }

  /** The numbers of the newest entries that name the gateway, if one is asked for, and hold one of the texts, if any. */
  async #found(search: Search, top: number, from: number, take: number): Promise<readonly number[]> {
    const found: number[] = [];
    const slice = new Slice();
    for (let before = top; before > from && found.length < take; before -= ENTRIES_AT_ONCE) {
      found.push(...this.#foundIn(search, before, Math.max(from, before - ENTRIES_AT_ONCE)));
      await slice.pause();
    }
    return found.slice(0, take);
  }

  #foundIn({ texts, gatewayId }: Search, before: number, from: number): readonly number[] {
    const naming =
      gatewayId === undefined
        ? null
        : this.#naming.all(before, from, gatewayId).filter((entry) => namesGateway(entry, gatewayId));
    const named = naming?.map(({ number }) => number) ?? null;
    if (named !== null && texts.length === 0) return named;
    // SQLite itself would compare the texts slowly.
    return this.#texts.all(before, from).flatMap(({ number, text }) => {
      const small = folded(text);
      return named?.includes(number) !== false && texts.some((one) => small.includes(one)) ? [number] : [];
    });
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
  async text(query: AuditQuery): Promise<JsonText> {
    return jsonTextOf(JSON.stringify(await this.page(query)));
  }
}

function entryOf({ entry_id: entryId, ...row }: Row): ChainedEntry {
  return { entryId, ...row };
}
