import type { Log } from '../../../flows/ports.ts';
import type { DamagedRecord, StoreRecord } from '../../../flows/store-ports.ts';

/** At most this many records are named; the others are only counted. */
const MAX_NAMED = 100;
/** The reason of a damaged record; a longer one is shortened. */
const MAX_REASON_LENGTH = 300;

/** Stored records that could not be read in this run and were not written again since. */
export class DamageNotes {
  readonly #log: Log;
  readonly #notes = new Map<string, string>();
  readonly #listeners: ((record: DamagedRecord) => void)[] = [];
  readonly #early: DamagedRecord[] = [];

  constructor(log: Log) {
    this.#log = log;
  }

  /** Reports each damaged record to the listener, also those found before. */
  onDamage(listener: (record: DamagedRecord) => void): void {
    this.#listeners.push(listener);
    for (const record of this.#early.splice(0)) listener(record);
  }

  found(record: DamagedRecord): void {
    const { table, key } = record;
    const reason = record.reason.slice(0, MAX_REASON_LENGTH);
    if (this.#notes.size < MAX_NAMED) this.#notes.set(noteKey(table, key), `${table} ${key}: ${reason}`);
    this.#log.error({ table, key, reason }, 'a stored record is damaged; a copy of it is kept in damaged_record');
    if (this.#listeners.length === 0) this.#early.push(record);
    for (const listener of this.#listeners) listener(record);
  }

  /** A plant record that is written again or removed does not count as damaged any more. */
  written(records: readonly StoreRecord[]): void {
    if (this.#notes.size === 0) return;
    for (const record of records) {
      if (record.kind === 'plant') this.#notes.delete(noteKey('plant', `${record.row.kind} ${record.row.id}`));
    }
  }

  list(): readonly string[] {
    return [...this.#notes.values()];
  }
}

function noteKey(table: string, key: string): string {
  return `${table}\0${key}`;
}
