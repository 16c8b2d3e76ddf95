import type { Log } from '../../../flows/ports.ts';
import type { StoreHealth } from '../../../flows/store-health-ports.ts';
import type { DamagedRecord, StoreRecord } from '../../../flows/store-ports.ts';

/** While storing fails, the log says so at most this often. */
const LOG_INTERVAL_MS = 60_000;

const HELP = {
  full: 'free space on the disk of the data directory; storing goes on by itself',
  failing: 'check the disk, its mount and the rights of the data directory; storing is tried again by itself',
  restarting: 'the store thread is started again by itself',
} as const;

export interface HealthBoardOptions {
  readonly monotonicMs: () => number;
  readonly log: Log;
}

/** Knows how the store is doing, and tells listeners and the log when that changes. */
export class HealthBoard {
  readonly #options: HealthBoardOptions;
  readonly #listeners: ((health: StoreHealth) => void)[] = [];
  #present: StoreHealth = { state: 'ok' };
  #loggedAtMs = Number.NEGATIVE_INFINITY;
  /** Whether the log knows that storing fails at present. */
  #isLogged = false;
  #refused = 0;
  #refusedBeforeLog = 0;

  constructor(options: HealthBoardOptions) {
    this.#options = options;
  }

  get present(): StoreHealth {
    return this.#present;
  }

  get isWithoutDisk(): boolean {
    return this.#present.state === 'full' || this.#present.state === 'failing';
  }

  /** Writes that were refused since the start. */
  get refusedWrites(): number {
    return this.#refused;
  }

  onChange(listener: (health: StoreHealth) => void): void {
    this.#listeners.push(listener);
  }

  noteRefusedWrite(): void {
    this.#refused++;
  }

  /** Gives whether anything changed. */
  set(health: StoreHealth): boolean {
    if (isSame(this.#present, health)) return false;
    const before = this.#present;
    this.#present = health;
    if (health.state === 'ok') this.#logRecovery(before);
    else this.logDue();
    for (const listener of this.#listeners) listener(health);
    return true;
  }

  /** Is called from time to time: a lasting fault is logged again. */
  logDue(): void {
    const health = this.#present;
    const nowMs = this.#options.monotonicMs();
    if (health.state === 'ok' || nowMs - this.#loggedAtMs < LOG_INTERVAL_MS) return;
    this.#loggedAtMs = nowMs;
    this.#isLogged = true;
    const { state, detail } = health;
    const refusedWrites = this.#takeRefused();
    this.#options.log.error({ state, detail, refusedWrites, help: HELP[state] }, 'storing fails');
  }

  #logRecovery(before: StoreHealth): void {
    if (!this.#isLogged || before.state === 'ok') return;
    this.#isLogged = false;
    this.#options.log.info({ was: before.state, refusedWrites: this.#takeRefused() }, 'storing works again');
  }

  #takeRefused(): number {
    const refused = this.#refused - this.#refusedBeforeLog;
    this.#refusedBeforeLog = this.#refused;
    return refused;
  }
}

function isSame(one: StoreHealth, other: StoreHealth): boolean {
  if (one.state === 'ok' || other.state === 'ok') return one.state === other.state;
  return one.state === other.state && one.detail === other.detail;
}

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
