import { isListed, type StopLogRow } from '../../../../domain/production/stop-log.ts';
import type { StopLogPage, StopLogScope } from '../../../../flows/production/production-ports.ts';
import { Slice } from '../../../../runtime/slice.ts';
import type { Connection } from '../database/connection.ts';

/** Rows that are read at once; commits get their turn between two reads. */
const ROWS_AT_ONCE = 500;

interface Asked {
  readonly machineId: string;
  readonly from: number;
  readonly to: number;
  readonly nowAt: number;
}

/**
 * The rows of `other` that touch a row of `own`. Rows of one machine do not overlap: of those that began before, only the
 * newest can reach into it.
 */
const touching = (other: string, own: string, condition: string) =>
  `${other}.machine_id = ${own}.machine_id AND ${condition}
   AND ${other}.started_at < coalesce(${own}.ended_at, @nowAt)
   AND coalesce(${other}.ended_at, @nowAt) > ${own}.started_at`;
const newestBefore = (table: string, own: string, condition: string) =>
  `coalesce((SELECT max(started_at) FROM ${table}
     WHERE machine_id = ${own}.machine_id AND ${condition} AND started_at <= ${own}.started_at), 0)`;
const IS_FAULT = "activity = 'fault'";
const BEGAN = 'machine_id = @machineId AND started_at >= @from AND started_at < @to';

/** Answers the log of stops and faults machine by machine, in slices, so that commits get their turn. */
export class StopLog {
  readonly #rows;
  readonly #partOf;

  constructor(connection: Connection) {
    this.#rows = connection.prepare<Asked, StopLogRow>(
      `SELECT downtime_id AS downtimeId, machine_id AS machineId, started_at AS startedAt, ended_at AS endedAt,
         reason_id AS reasonId, note, user_name AS userName, coalesce((
           SELECT sum(min(coalesce(fault.ended_at, @nowAt), coalesce(stop.ended_at, @nowAt))
             - max(fault.started_at, stop.started_at))
           FROM span AS fault WHERE ${touching('fault', 'stop', `fault.${IS_FAULT}`)}
             AND fault.started_at >= ${newestBefore('span', 'stop', IS_FAULT)}), 0) AS faultMs
       FROM downtime AS stop WHERE ${BEGAN}
       UNION ALL
       SELECT NULL, machine_id, started_at, ended_at, NULL, NULL, NULL, coalesce(ended_at, @nowAt) - started_at
       FROM span AS fault WHERE ${BEGAN} AND ${IS_FAULT} AND NOT EXISTS (
         SELECT 1 FROM downtime AS stop WHERE ${touching('stop', 'fault', 'TRUE')}
           AND stop.started_at >= ${newestBefore('downtime', 'fault', 'TRUE')})
       ORDER BY startedAt DESC LIMIT ${ROWS_AT_ONCE}`,
    );
    this.#partOf = connection
      .prepare<[number, string, number], string | null>(
        `SELECT CASE WHEN ended_at IS NULL OR ended_at >= ? THEN part_id END FROM work_session
         WHERE machine_id = ? AND started_at <= ? ORDER BY started_at DESC LIMIT 1`,
      )
      .pluck();
  }

  async read({ machineIds, ranges, filter, limit, nowAt }: StopLogScope): Promise<StopLogPage> {
    const found = new FoundRows(limit, nowAt);
    const slice = new Slice();
    for (const machineId of machineIds) {
      for (const rows of this.#pages(machineId, ranges, nowAt)) {
        for (const row of rows) if (isListed(row, filter)) found.add(row);
        await slice.pause();
      }
    }
    return { ...found.sums, rows: found.newest().map((row) => ({ ...row, partId: this.#partAt(row) })) };
  }

  *#pages(
    machineId: string,
    ranges: StopLogScope['ranges'],
    nowAt: number,
  ): Generator<readonly StopLogRow[], void, void> {
    for (const { from, to } of ranges) {
      let before = to;
      for (;;) {
        const rows = this.#rows.all({ machineId, from, to: before, nowAt });
        yield rows;
        const last = rows.at(-1);
        if (last === undefined || rows.length < ROWS_AT_ONCE) break;
        before = last.startedAt;
      }
    }
  }

  /** The part on the machine when it stopped, as far as a work session tells it. */
  #partAt({ machineId, startedAt }: StopLogRow): string | null {
    return this.#partOf.get(startedAt, machineId, startedAt) ?? null;
  }
}

/** Adds up the rows that were found, and keeps the newest of them in little more memory than they need. */
class FoundRows {
  readonly sums = { count: 0, totalMs: 0, faultMs: 0 };
  readonly #limit: number;
  readonly #nowAt: number;
  #kept: StopLogRow[] = [];

  constructor(limit: number, nowAt: number) {
    this.#limit = limit;
    this.#nowAt = nowAt;
  }

  add(row: StopLogRow): void {
    this.sums.count += 1;
    this.sums.totalMs += (row.endedAt ?? this.#nowAt) - row.startedAt;
    this.sums.faultMs += row.faultMs;
    this.#kept.push(row);
    if (this.#kept.length >= 2 * this.#limit + ROWS_AT_ONCE) this.#kept = [...this.newest()];
  }

  newest(): readonly StopLogRow[] {
    return this.#kept.sort((one, other) => other.startedAt - one.startedAt).slice(0, this.#limit);
  }
}
