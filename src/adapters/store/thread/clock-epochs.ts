import { readFileSync } from 'node:fs';
import { hasCode } from '../../../domain/error-code.ts';
import type { Connection } from './database/connection.ts';

const BOOT_ID_FILE = '/proc/sys/kernel/random/boot_id';
/** Tables whose rows are few enough to be corrected in place, with their columns of time. */
const CORRECTED_COLUMNS: Readonly<Record<string, readonly string[]>> = {
  downtime: ['started_at', 'ended_at'],
  span: ['started_at', 'ended_at'],
  work_session: ['started_at', 'last_active_at', 'ended_at'],
  anomaly: ['at'],
  override_span: ['started_at', 'ended_at'],
};

/**
 * The id of one boot of the computer. On systems without one, each run counts as a boot. Other faults are thrown: with a
 * wrong id, a correction of the clock would miss the records of earlier runs.
 */
export function bootId(runId: string, file = BOOT_ID_FILE): string {
  try {
    return readFileSync(file, 'utf8').trim();
  } catch (error) {
    // The system has no such file, or a container hides it.
    if (hasCode(error, 'ENOENT', 'EACCES')) return runId;
    throw error;
  }
}

/**
 * Stretches of time in which the wall clock was not set (D-04). Each run opens one with its first commit, and each
 * correction another; a correction applies to all of the present boot. Points keep the time with which they were
 * written and are corrected when they are read; the small tables are corrected in place.
 */
export class ClockEpochs {
  readonly #connection: Connection;
  readonly #runId: string;
  readonly #bootId: string;
  #current: number | null = null;
  #corrections: ReadonlyMap<number, number> | null = null;

  constructor(connection: Connection, runId: string, boot: string = bootId(runId)) {
    this.#connection = connection;
    this.#runId = runId;
    this.#bootId = boot;
  }

  /** The epoch that rows are written in now; opened if need be, so to be called within a transaction. */
  current(wallMs: number): number {
    this.#current ??= this.#newestOfRun() ?? this.#open(wallMs);
    return this.#current;
  }

  /** To be called within a transaction, before anything is written at the corrected time. */
  correct(deltaMs: number, wallMs: number): void {
    this.current(wallMs);
    const ofThisBoot = 'epoch IN (SELECT id FROM clock_epoch WHERE boot_id = @bootId)';
    for (const [table, columns] of Object.entries(CORRECTED_COLUMNS)) {
      const assignments = columns.map((column) => `${column} = ${column} + @deltaMs`).join(', ');
      this.#connection
        .prepare(`UPDATE ${table} SET ${assignments} WHERE ${ofThisBoot}`)
        .run({ deltaMs, bootId: this.#bootId });
    }
    this.#connection
      .prepare('UPDATE clock_epoch SET correction_ms = correction_ms + ? WHERE boot_id = ?')
      .run(deltaMs, this.#bootId);
    this.#current = this.#open(wallMs);
    this.#corrections = null;
  }

  /** Milliseconds to add to the written times of each epoch, by epoch; the current epoch comes last. */
  corrections(): ReadonlyMap<number, number> {
    this.#corrections ??= new Map(
      this.#connection
        .prepare<[], [number, number]>('SELECT id, correction_ms FROM clock_epoch ORDER BY id')
        .raw()
        .all(),
    );
    return this.#corrections;
  }

  /** A transaction was rolled back: forgets the epochs that were read or opened in it. */
  forget(): void {
    this.#current = null;
    this.#corrections = null;
  }

  #newestOfRun(): number | null {
    const select = this.#connection.prepare<[string], number | null>(
      'SELECT max(id) FROM clock_epoch WHERE run_id = ?',
    );
    return select.pluck().get(this.#runId) ?? null;
  }

  #open(wallMs: number): number {
    this.#corrections = null;
    const insert = 'INSERT INTO clock_epoch (boot_id, run_id, opened_at, correction_ms) VALUES (?, ?, ?, 0)';
    return Number(this.#connection.prepare(insert).run(this.#bootId, this.#runId, wallMs).lastInsertRowid);
  }
}
