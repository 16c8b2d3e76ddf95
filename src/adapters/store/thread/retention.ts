import { setImmediate as nextTurn } from 'node:timers/promises';
import { DAY_MS } from '../../../domain/time.ts';
import type { RetentionResult } from '../../../flows/store-ports.ts';
import type { Retention } from '../protocol.ts';
import type { ClockEpochs } from './clock-epochs.ts';
import type { Connection } from './database/connection.ts';
import { transact } from './database/transact.ts';
import type { ExpiredFacts } from './forwarding/expired-facts.ts';

/** The clock may be this far ahead of the last written time, plus the time the gateway has been up. */
const TRUSTED_AHEAD_MS = 2 * DAY_MS;
/** Rows that are deleted in one turn. */
const ROWS_PER_SLICE = 200;
/** Rows that are looked at in one turn. */
const ROWS_PER_LOOK = 1_000;

type Conditions = Readonly<Record<string, string>>;

const SHIFT_IS_OLD = "shift_date < strftime('%Y-%m-%d', @before / 1000, 'unixepoch')";
/**
 * The rows of each table that may be deleted once they are older than `before`. A downtime that waits for its category
 * is never deleted. One of another gateway (`/` in its id, received-id.ts) may be, because it waits at that gateway. No
 * index finds the old rows of these tables, so the whole table is looked through.
 */
const OLD_ROWS: Conditions = {
  span: 'ended_at < @before',
  downtime: "ended_at < @before AND (reason_id IS NOT NULL OR machine_id LIKE '%/%')",
  work_session: 'ended_at < @before',
};
/** The same for tables whose primary key begins with the machine. */
const OLD_ROWS_OF_MACHINE: Conditions = {
  anomaly: 'at < @before',
  shift_totals: SHIFT_IS_OLD,
  override_span: 'ended_at < @before',
  production_quarter: SHIFT_IS_OLD,
};
/**
 * Acts are deleted up to the first one that is young enough, whatever times later ones have, so that the chain stays
 * whole. The newest act always stays, because the chain goes on from it.
 */
const OLD_ACTS =
  'number < coalesce((SELECT min(number) FROM audit WHERE at >= @before), (SELECT max(number) FROM audit)) ORDER BY number';
/** Rows of tables that are small, or have an index by age. */
const OLD_ROWS_FOUND: Conditions = {
  received_session: 'last_active_at < @before',
  received_catch_up: SHIFT_IS_OLD,
  received_shift: SHIFT_IS_OLD,
};
/** An epoch is over when the next one opens. */
const OLD_EPOCHS = 'DELETE FROM clock_epoch WHERE id < (SELECT max(id) FROM clock_epoch WHERE opened_at < @before)';

interface RetentionParts {
  readonly epochs: ClockEpochs;
  readonly expired: ExpiredFacts;
  readonly lastWrittenAt: number | null;
}

/**
 * Deletes rows that are older than the retention allows, in short transactions with turns for other work between them.
 * Deletes nothing if the clock cannot be trusted: if it is behind the last time written before this start, or ahead of it
 * by more than two days plus the time that the gateway has been up.
 */
export class RetentionRun {
  readonly #connection: Connection;
  readonly #retention: Retention;
  readonly #epochs: ClockEpochs;
  readonly #expired: ExpiredFacts;
  readonly #lastWrittenAt: number | null;
  readonly #oldestBlock;

  constructor(connection: Connection, retention: Retention, parts: RetentionParts) {
    this.#connection = connection;
    this.#retention = retention;
    this.#epochs = parts.epochs;
    this.#expired = parts.expired;
    this.#lastWrittenAt = parts.lastWrittenAt;
    this.#oldestBlock = connection.prepare<[number], { id: number; end_at: number; epoch: number; count: number }>(
      'SELECT id, end_at, epoch, count FROM variable_block WHERE series = ? ORDER BY start_at, id LIMIT 1',
    );
  }

  async run(nowWallMs: number, uptimeMs: number): Promise<RetentionResult> {
    const reason = this.#distrust(nowWallMs, uptimeMs);
    if (reason !== null) return { state: 'refused', reason };
    const rowsBefore = nowWallMs - this.#retention.statusDays * DAY_MS;
    const auditBefore = nowWallMs - this.#retention.auditDays * DAY_MS;
    const deletedRows =
      (await sumOf(OLD_ROWS, (table, condition) => this.#deleteThrough(table, condition, rowsBefore))) +
      (await sumOf(OLD_ROWS_OF_MACHINE, (table, condition) => this.#deleteByMachine(table, condition, rowsBefore))) +
      (await sumOf(OLD_ROWS_FOUND, (table, condition) => this.#deleteFound(table, condition, { before: rowsBefore }))) +
      (await this.#deleteFound('audit', OLD_ACTS, { before: auditBefore }));
    await this.#expired.drop(rowsBefore);
    const deleted = await this.#deleteBlocks(nowWallMs - this.#retention.variableDays * DAY_MS);
    return { state: 'done', ...deleted, deletedRows };
  }

  #distrust(nowWallMs: number, uptimeMs: number): string | null {
    if (this.#lastWrittenAt === null) return null;
    const aheadMs = nowWallMs - this.#lastWrittenAt;
    if (aheadMs < 0) return 'the clock is behind what was written last before this start';
    if (aheadMs > TRUSTED_AHEAD_MS + uptimeMs) {
      return 'the clock is more than two days ahead of what was written last before this start';
    }
    return null;
  }

  /** Looks through a table by its row numbers. Rows that come meanwhile are young. */
  async #deleteThrough(table: string, condition: string, before: number): Promise<number> {
    const { first, last } = this.#connection
      .prepare<[], { first: number; last: number }>(
        `SELECT coalesce(min(rowid), 0) AS first, coalesce(max(rowid), -1) AS last FROM ${table}`,
      )
      .get() ?? { first: 0, last: -1 };
    const statement = this.#connection.prepare(
      `DELETE FROM ${table} WHERE rowid >= @from AND rowid < @from + ${ROWS_PER_LOOK} AND ${condition}`,
    );
    let deletedRows = 0;
    for (let from = first; from <= last; from += ROWS_PER_LOOK) {
      deletedRows += statement.run({ before, from }).changes;
      await nextTurn();
    }
    return deletedRows;
  }

  async #deleteByMachine(table: string, condition: string, before: number): Promise<number> {
    const next = this.#connection
      .prepare<[string], string>(`SELECT machine_id FROM ${table} WHERE machine_id > ? ORDER BY machine_id LIMIT 1`)
      .pluck();
    const ofMachine = `machine_id = @machineId AND ${condition}`;
    let deletedRows = 0;
    for (let machineId = next.get(''); machineId !== undefined; machineId = next.get(machineId)) {
      deletedRows += await this.#deleteFound(table, ofMachine, { before, machineId });
    }
    return deletedRows;
  }

  async #deleteFound(table: string, condition: string, values: object): Promise<number> {
    const statement = this.#connection.prepare(`DELETE FROM ${table} WHERE ${condition} LIMIT ${ROWS_PER_SLICE}`);
    let deletedRows = 0;
    for (let deleted = ROWS_PER_SLICE; deleted === ROWS_PER_SLICE; await nextTurn()) {
      deleted = statement.run(values).changes;
      deletedRows += deleted;
    }
    return deletedRows;
  }

  async #deleteBlocks(before: number): Promise<{ deletedBlocks: number; deletedPoints: number }> {
    const total = { deletedBlocks: 0, deletedPoints: 0 };
    for (const series of this.#connection.prepare<[], number>('SELECT id FROM variable_series').pluck().all()) {
      for (let blocks = ROWS_PER_SLICE; blocks === ROWS_PER_SLICE; await nextTurn()) {
        const deleted = transact(this.#connection, () => this.#deleteOldest(series, before));
        blocks = deleted.blocks;
        total.deletedBlocks += deleted.blocks;
        total.deletedPoints += deleted.points;
      }
    }
    this.#connection.prepare(OLD_EPOCHS).run({ before });
    return total;
  }

  /** Deletes the series' blocks from its oldest on, up to the first that is young enough. */
  #deleteOldest(series: number, before: number): { blocks: number; points: number } {
    const corrections = this.#epochs.corrections();
    const deleted = { blocks: 0, points: 0 };
    while (deleted.blocks < ROWS_PER_SLICE) {
      const oldest = this.#oldestBlock.get(series);
      if (oldest === undefined || oldest.end_at + (corrections.get(oldest.epoch) ?? 0) >= before) break;
      this.#connection.prepare('DELETE FROM variable_block WHERE id = ?').run(oldest.id);
      deleted.blocks += 1;
      deleted.points += oldest.count;
    }
    return deleted;
  }
}

/** The sum of what `act` gives for each table. */
async function sumOf(tables: Conditions, act: (table: string, condition: string) => Promise<number>): Promise<number> {
  let sum = 0;
  for (const [table, condition] of Object.entries(tables)) sum += await act(table, condition);
  return sum;
}
