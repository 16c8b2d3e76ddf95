import { readFileSync } from 'node:fs';
import { hasCode } from '../../../domain/error-code.ts';
import type { Shift } from '../../../domain/shift/shift-calendar.ts';
import { dayNumber } from '../../../domain/time.ts';
import type { ClockChange } from '../../../flows/store-ports.ts';
import type { Connection } from './database/connection.ts';
import { insertInto } from './database/insert-into.ts';
import { clockEpoch } from './database/schema/store.ts';
import type { PointGroup } from './variables/recent-points.ts';

const BOOT_ID_FILE = '/proc/sys/kernel/random/boot_id';
/** Tables whose rows are few enough to be corrected in place, with their columns of time. */
const CORRECTED_COLUMNS: Readonly<Record<string, readonly string[]>> = {
  downtime: ['started_at', 'ended_at'],
  span: ['started_at', 'ended_at'],
  work_session: ['started_at', 'last_active_at', 'ended_at'],
  anomaly: ['at'],
  override_span: ['started_at', 'ended_at'],
};
/** Their columns of time that belong to a primary key. */
const KEY_COLUMNS: Readonly<Record<string, string>> = { anomaly: 'at', override_span: 'started_at' };

type CorrectedTimes = Pick<ClockChange, 'deltaMs' | 'sinceAt' | 'untilAt'>;
/** When a shift date begins, and the date as days since 1970. */
type ShiftDateStart = readonly [startMs: number, day: number];

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
 * correction another; a correction applies to all of the present boot. Points and production keep the time with which
 * they were written and are corrected when they are read; the small tables are corrected in place, where the wrong clock
 * can have given the time.
 */
export class ClockEpochs {
  readonly #connection: Connection;
  readonly #runId: string;
  readonly #bootId: string;
  #current: number | null = null;
  #corrections: ReadonlyMap<number, number> | null = null;
  #shiftDates: ReadonlyMap<number, readonly ShiftDateStart[]> | null = null;

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

  /** To be called within a transaction, before anything is written at the corrected time. Gives the id of the boot. */
  correct({ deltaMs, sinceAt, untilAt, shifts }: ClockChange, wallMs: number): string {
    this.current(wallMs);
    const bootId = this.#bootId;
    for (const [table, columns] of Object.entries(CORRECTED_COLUMNS)) {
      this.#correctTable(table, columns, { deltaMs, bootId, sinceAt, untilAt });
    }
    const shiftDates = shifts.length === 0 ? null : JSON.stringify(startsOfDates(shifts));
    this.#connection
      .prepare(
        `UPDATE clock_epoch SET correction_ms = correction_ms + ?, shift_dates = coalesce(?, shift_dates)
         WHERE boot_id = ?`,
      )
      .run(deltaMs, shiftDates, bootId);
    this.#current = this.#open(wallMs);
    this.#forgetCorrections();
    return bootId;
  }

  /**
   * The shift date of a point, as days since 1970: after a correction, that of its corrected time; otherwise the one with
   * which it was written.
   */
  dayAt(epoch: number, correctedAt: number, writtenDay: number): number {
    this.#shiftDates ??= this.#readShiftDates();
    const dates = this.#shiftDates.get(epoch);
    return dates?.findLast(([startMs]) => startMs <= correctedAt)?.[1] ?? writtenDay;
  }

  /** The points of a group at their corrected times, under the shift dates of these. */
  corrected(group: PointGroup): Pick<PointGroup, 'at' | 'day'> & { readonly isMoved: boolean } {
    const correctionMs = this.corrections().get(group.epoch) ?? 0;
    if (correctionMs === 0) return { at: group.at, day: group.day, isMoved: false };
    const at = group.at.map((time) => time + correctionMs);
    const day = group.day.map((written, index) => this.dayAt(group.epoch, at[index] ?? 0, written));
    return { at, day, isMoved: true };
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
    this.#forgetCorrections();
  }

  /**
   * A corrected time may equal the present time of another row that is corrected later. So times in a primary key are
   * negative until all are corrected: no other time is. If a row of another boot has the same key, the corrected one stays.
   */
  #correctTable(table: string, columns: readonly string[], values: CorrectedTimes & { readonly bootId: string }): void {
    const key = KEY_COLUMNS[table];
    const assignments = columns.map((column) => {
      const moved = `${column} + @deltaMs`;
      return `${column} = iif(${column} BETWEEN @sinceAt AND @untilAt, ${column === key ? `-(${moved})` : moved}, ${column})`;
    });
    this.#connection
      .prepare(
        `UPDATE ${table} SET ${assignments.join(', ')}
         WHERE epoch IN (SELECT id FROM clock_epoch WHERE boot_id = @bootId)`,
      )
      .run(values);
    if (key !== undefined) this.#connection.exec(`UPDATE OR REPLACE ${table} SET ${key} = -${key} WHERE ${key} < 0`);
  }

  #forgetCorrections(): void {
    this.#corrections = null;
    this.#shiftDates = null;
  }

  #readShiftDates(): ReadonlyMap<number, readonly ShiftDateStart[]> {
    const rows = this.#connection
      .prepare<[], [number, string]>('SELECT id, shift_dates FROM clock_epoch WHERE shift_dates IS NOT NULL')
      .raw()
      .all();
    return new Map(rows.map(([epoch, json]) => [epoch, JSON.parse(json) as ShiftDateStart[]]));
  }

  #newestOfRun(): number | null {
    const select = this.#connection.prepare<[string], number | null>(
      'SELECT max(id) FROM clock_epoch WHERE run_id = ?',
    );
    return select.pluck().get(this.#runId) ?? null;
  }

  #open(wallMs: number): number {
    this.#forgetCorrections();
    const insert = insertInto(this.#connection, clockEpoch, { without: ['id'] });
    const [bootId, runId] = [this.#bootId, this.#runId];
    const row = { bootId, runId, openedAt: wallMs, correctionMs: 0, shiftDates: null };
    return Number(insert(row).lastInsertRowid);
  }
}

function startsOfDates(shifts: readonly Shift[]): readonly ShiftDateStart[] {
  const starts = shifts.map(({ shiftDate, startMs }): ShiftDateStart => [startMs, dayNumber(shiftDate)]);
  return starts.filter(([, day], place) => day !== starts[place - 1]?.[1]);
}
