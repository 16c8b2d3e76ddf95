import { setImmediate as nextTurn } from 'node:timers/promises';
import { DAY_MS, HOUR_MS } from '../../../domain/time.ts';
import type { RetentionResult } from '../../../flows/store-ports.ts';
import type { Retention } from '../protocol.ts';
import type { ClockEpochs } from './clock-epochs.ts';
import type { Connection } from './database/connection.ts';
import { transact } from './database/transact.ts';
import type { ExpiredFacts } from './forwarding/expired-facts.ts';
import { deleteOldRows } from './old-rows.ts';

/** The clock may be this far ahead of the last written time at the start. */
const TRUSTED_AHEAD_MS = 2 * DAY_MS;
/** For each hour that the gateway has been up, the clock may be this many hours further ahead: the computer was off. */
const TRUSTED_HOURS_AN_HOUR = 30;
/** Blocks that are deleted in one turn. */
const BLOCKS_PER_SLICE = 200;
/** An epoch is over when the next one opens. */
const OLD_EPOCHS = 'DELETE FROM clock_epoch WHERE id < (SELECT max(id) FROM clock_epoch WHERE opened_at < @before)';

interface RetentionParts {
  readonly epochs: ClockEpochs;
  readonly expired: ExpiredFacts;
  readonly lastWrittenAt: number | null;
}

/**
 * Deletes rows that are older than the retention allows, in short transactions with turns for other work between them.
 * Deletes nothing if the clock cannot be trusted: if it is behind the last time written before this start, or far ahead
 * of it. A computer that was off for a weekend is believed within an hour, a year takes twelve days: a clock that is wrong
 * by years must not delete the history before somebody sees it.
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
    const deletedRows = await deleteOldRows(this.#connection, rowsBefore, auditBefore);
    await this.#expired.drop(rowsBefore);
    const deleted = await this.#deleteBlocks(nowWallMs - this.#retention.variableDays * DAY_MS);
    return { state: 'done', ...deleted, deletedRows };
  }

  #distrust(nowWallMs: number, uptimeMs: number): string | null {
    if (this.#lastWrittenAt === null) return null;
    const aheadMs = nowWallMs - this.#lastWrittenAt;
    if (aheadMs < 0) return 'the clock is behind what was written last before this start';
    const neededMs = (aheadMs - TRUSTED_AHEAD_MS) / TRUSTED_HOURS_AN_HOUR;
    if (uptimeMs >= neededMs) return null;
    const days = Math.round(aheadMs / DAY_MS);
    const hours = Math.ceil(neededMs / HOUR_MS);
    return (
      `the clock is ${days} days ahead of what was written last before this start. ` +
      `If the computer was off, nothing is to be done: old records are deleted once it has run for ${hours} hours`
    );
  }

  async #deleteBlocks(before: number): Promise<{ deletedBlocks: number; deletedPoints: number }> {
    const total = { deletedBlocks: 0, deletedPoints: 0 };
    for (const series of this.#connection.prepare<[], number>('SELECT id FROM variable_series').pluck().all()) {
      for (let blocks = BLOCKS_PER_SLICE; blocks === BLOCKS_PER_SLICE; await nextTurn()) {
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
    while (deleted.blocks < BLOCKS_PER_SLICE) {
      const oldest = this.#oldestBlock.get(series);
      if (oldest === undefined || oldest.end_at + (corrections.get(oldest.epoch) ?? 0) >= before) break;
      this.#connection.prepare('DELETE FROM variable_block WHERE id = ?').run(oldest.id);
      deleted.blocks += 1;
      deleted.points += oldest.count;
    }
    return deleted;
  }
}
