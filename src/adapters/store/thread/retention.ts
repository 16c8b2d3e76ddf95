import { setImmediate as nextTurn } from 'node:timers/promises';
import { DAY_MS, HOUR_MS } from '../../../domain/time.ts';
import type { RetentionResult } from '../../../flows/store-ports.ts';
import type { Retention } from '../protocol.ts';
import type { ChangeFeed } from './change-feed.ts';
import type { ClockEpochs } from './clock-epochs.ts';
import { type Connection, transact } from './database/connection.ts';
import { insertInto } from './database/insert-into.ts';
import { trustedClock } from './database/schema/store.ts';
import type { ExpiredFacts } from './forwarding/expired-facts.ts';
import { deleteOldRows } from './old-rows.ts';

/** The clock may be this far ahead of the time at which it was believed last. */
const TRUSTED_AHEAD_MS = 2 * DAY_MS;
/** Each hour that the gateway has run since adds this many hours to that: the computer may have been off so long. */
const TRUSTED_HOURS_AN_HOUR = 30;
/** The time for which programs may ask what has changed. */
const CHANGES_KEPT_MS = 7 * DAY_MS;
/** Blocks that are examined in one turn. */
const BLOCKS_PER_SLICE = 200;
/**
 * An epoch is over when the next one opens. Its own time counts as well, because the next epoch may have a wrong clock that
 * was never corrected: a computer without a battery begins each boot years behind.
 */
const OLD_EPOCHS = `
  DELETE FROM clock_epoch WHERE id IN (
    SELECT id FROM (
      SELECT id, opened_at + correction_ms AS at, lead(opened_at + correction_ms) OVER (ORDER BY id) AS next_at
      FROM clock_epoch
    )
    WHERE max(at, next_at) < ?
  )`;

interface Block {
  readonly id: number;
  readonly start_at: number;
  readonly end_at: number;
  readonly epoch: number;
  readonly count: number;
}

interface RetentionParts {
  readonly epochs: ClockEpochs;
  readonly expired: ExpiredFacts;
  readonly changeFeed: ChangeFeed;
  /** The time of the last record before this start, for a gateway that never believed its clock. */
  readonly lastWrittenAt: number | null;
}

/**
 * Deletes rows that are older than the retention allows, in short transactions with turns for other work between them.
 * Deletes nothing if the clock cannot be trusted: if it is behind the time at which it was believed last, or far ahead of
 * it. A computer that was off for a weekend is believed within an hour, a year takes twelve days: a clock that is wrong by
 * years must not delete the history before somebody sees it. That time is kept in the database, because records that are
 * written under a wrong clock, and a restart, are no reason to believe it.
 */
export class RetentionRun {
  readonly #connection: Connection;
  readonly #retention: Retention;
  readonly #epochs: ClockEpochs;
  readonly #expired: ExpiredFacts;
  readonly #changeFeed: ChangeFeed;
  /** Null: nothing is written yet. */
  #believedAt: number | null;
  #believedUptimeMs = 0;
  readonly #nextBlocks;
  readonly #deleteBlock;

  constructor(connection: Connection, retention: Retention, parts: RetentionParts) {
    this.#connection = connection;
    this.#retention = retention;
    this.#epochs = parts.epochs;
    this.#expired = parts.expired;
    this.#changeFeed = parts.changeFeed;
    const kept = connection.prepare<[], number>('SELECT at FROM trusted_clock').pluck().get();
    this.#believedAt = kept ?? parts.lastWrittenAt;
    this.#nextBlocks = connection.prepare<[number, number, number, number], Block>(
      `SELECT id, start_at, end_at, epoch, count FROM variable_block
       WHERE series = ? AND (start_at, id) > (?, ?) AND start_at < ?
       ORDER BY start_at, id LIMIT ${BLOCKS_PER_SLICE}`,
    );
    this.#deleteBlock = connection.prepare<[number]>('DELETE FROM variable_block WHERE id = ?');
  }

  async run(nowWallMs: number, uptimeMs: number): Promise<RetentionResult> {
    const reason = this.#distrust(nowWallMs, uptimeMs);
    if (reason !== null) return { state: 'refused', reason };
    this.#believe(nowWallMs, uptimeMs);
    const rowsBefore = nowWallMs - this.#retention.statusDays * DAY_MS;
    const pointsBefore = nowWallMs - this.#retention.variableDays * DAY_MS;
    const longBefore = nowWallMs - this.#retention.productionDays * DAY_MS;
    const auditBefore = nowWallMs - this.#retention.auditDays * DAY_MS;
    const deletedRows = await deleteOldRows(this.#connection, { before: rowsBefore, longBefore, auditBefore });
    await this.#expired.drop(rowsBefore);
    await this.#changeFeed.forget(nowWallMs - CHANGES_KEPT_MS);
    const deleted = await this.#deleteBlocks(pointsBefore);
    this.#connection.prepare(OLD_EPOCHS).run(Math.min(rowsBefore, pointsBefore, longBefore));
    return { state: 'done', ...deleted, deletedRows };
  }

  #distrust(nowWallMs: number, uptimeMs: number): string | null {
    if (this.#believedAt === null) return null;
    const aheadMs = nowWallMs - this.#believedAt;
    const unexplainedMs = aheadMs < 0 ? -aheadMs : aheadMs - TRUSTED_AHEAD_MS;
    const neededMs = unexplainedMs / TRUSTED_HOURS_AN_HOUR;
    if (uptimeMs - this.#believedUptimeMs >= neededMs) return null;
    const days = (Math.abs(aheadMs) / DAY_MS).toFixed(1);
    const hours = Math.ceil(neededMs / HOUR_MS);
    return (
      `the clock is ${days} days ${aheadMs < 0 ? 'behind' : 'ahead of'} the time at which it was believed last. ` +
      `If it is right, nothing is to be done: old records are deleted once the gateway has run for ${hours} hours`
    );
  }

  #believe(nowWallMs: number, uptimeMs: number): void {
    insertInto(this.#connection, trustedClock, { or: 'REPLACE' })({ id: 1, at: nowWallMs });
    this.#believedAt = nowWallMs;
    this.#believedUptimeMs = uptimeMs;
  }

  async #deleteBlocks(before: number): Promise<{ deletedBlocks: number; deletedPoints: number }> {
    const total = { deletedBlocks: 0, deletedPoints: 0 };
    for (const series of this.#connection.prepare<[], number>('SELECT id FROM variable_series').pluck().all()) {
      let last: Pick<Block, 'id' | 'start_at'> | undefined = { id: 0, start_at: 0 };
      while (last !== undefined) {
        const blocks = this.#examine(series, last, before);
        total.deletedBlocks += blocks.old.length;
        total.deletedPoints += blocks.old.reduce((points, { count }) => points + count, 0);
        last = blocks.last;
        await nextTurn();
      }
    }
    return total;
  }

  /**
   * Examines the next blocks of a series, in the order of their written times, and deletes the old ones. By the corrected
   * times an old block may come behind a young one. Gives the last block that was examined, unless it is the last of all.
   */
  #examine(series: number, { start_at, id }: Pick<Block, 'id' | 'start_at'>, before: number) {
    const corrections = this.#epochs.corrections();
    const writtenBefore = before - Math.min(0, ...corrections.values());
    const blocks = this.#nextBlocks.all(series, start_at, id, writtenBefore);
    const old = blocks.filter(({ end_at, epoch }) => end_at + (corrections.get(epoch) ?? 0) < before);
    transact(this.#connection, () => {
      for (const block of old) this.#deleteBlock.run(block.id);
    });
    return { old, last: blocks.length < BLOCKS_PER_SLICE ? undefined : blocks.at(-1) };
  }
}
