import { totalsSql } from '../../adapters/store/thread/shift-columns.ts';
import type { ShiftTotals } from '../../domain/machine/counters/counters.ts';
import type { MachineId } from '../../domain/machine/machine-names.ts';
import type {
  Activity,
  CounterAnomaly,
  Downtime,
  ShiftRecord,
  Span,
  WorkSession,
} from '../../domain/machine/records.ts';
import type { DowntimeFilter, TimeRange } from '../../flows/store-ports.ts';
import type { Postgres } from '../postgres/postgres.ts';

/** The maximum number of rows in one answer. */
const MAX_ROWS = 10_000;

const DOWNTIME = `
  SELECT downtime_id AS "downtimeId", machine_id AS "machineId", started_at AS "startedAt", ended_at AS "endedAt",
    reason_id AS "reasonId", note, user_name AS "userName"
  FROM central.downtime`;
const ONE_DOWNTIME = `${DOWNTIME} WHERE downtime_id = $1`;
const DOWNTIMES = `${DOWNTIME}
  WHERE machine_id = $1 AND (NOT $2::bool OR reason_id IS NULL)
    AND ($3::float8 IS NULL OR started_at < $3 OR (started_at = $3 AND downtime_id < $4))
  ORDER BY started_at DESC, downtime_id DESC LIMIT $5`;
const SHIFTS = `
  SELECT shift_name AS "shiftName", ${totalsSql((name, column) => `${column} AS "${name}"`)}
  FROM central.shift_totals WHERE machine_id = $1 AND shift_date = $2 ORDER BY shift_name`;
/** Spans of one machine never overlap, so the newest that starts before the range is the only one to reach into it. */
const TOUCHING = `machine_id = $1 AND started_at < $3 AND (ended_at IS NULL OR ended_at > $2) AND started_at >=
  coalesce((SELECT max(started_at) FROM central.span WHERE machine_id = $1 AND started_at <= $2), $2)`;
const SPANS = `
  SELECT span_id AS "spanId", machine_id AS "machineId", activity, started_at AS "startedAt", ended_at AS "endedAt"
  FROM central.span WHERE ${TOUCHING} ORDER BY started_at DESC, span_id DESC LIMIT ${MAX_ROWS}`;
const ACTIVITY = `
  SELECT activity, sum(least(coalesce(ended_at, $3), $3) - greatest(started_at, $2)) AS "spentMs"
  FROM central.span WHERE ${TOUCHING} GROUP BY activity`;
const WORK_SESSIONS = `
  SELECT session_id AS "sessionId", machine_id AS "machineId", job_number AS "jobNumber", part_id AS "partId",
    user_id AS "userId", started_at AS "startedAt", last_active_at AS "lastActiveAt", ended_at AS "endedAt",
    good_parts AS "goodParts", bad_parts AS "badParts", cycles
  FROM central.work_session WHERE machine_id = $1
  ORDER BY started_at DESC, session_id DESC LIMIT $2`;
const ANOMALIES = `
  SELECT machine_id AS "machineId", at, counter, from_count AS "from", to_count AS "to"
  FROM central.anomaly WHERE machine_id = $1 ORDER BY at DESC LIMIT $2`;

/** Answers about the history of machines, newest first unless a comment says otherwise. */
export class MachineHistory {
  readonly #postgres: Postgres;

  constructor(postgres: Postgres) {
    this.#postgres = postgres;
  }

  downtimes(machineId: MachineId, filter: DowntimeFilter): Promise<readonly Downtime[]> {
    const { uncategorizedOnly, limit, behind } = filter;
    const after = [behind?.startedAt ?? null, behind?.downtimeId ?? null];
    return this.#postgres.query(DOWNTIMES, [machineId, uncategorizedOnly, ...after, bounded(limit)]);
  }

  async downtime(downtimeId: string): Promise<Downtime | null> {
    return (await this.#postgres.query<Downtime>(ONE_DOWNTIME, [downtimeId]))[0] ?? null;
  }

  /** In the order of their names. */
  async shifts(machineId: MachineId, shiftDate: string): Promise<readonly ShiftRecord[]> {
    const rows = await this.#postgres.query<ShiftTotals & { shiftName: string }>(SHIFTS, [machineId, shiftDate]);
    return rows.map(({ shiftName, ...totals }) => ({ machineId, shiftDate, shiftName, totals }));
  }

  /** Spans that touch the range, oldest first; the newest ones if there are too many. */
  async spans(machineId: MachineId, { from, to }: TimeRange): Promise<readonly Span[]> {
    return (await this.#postgres.query<Span>(SPANS, [machineId, from, to])).toReversed();
  }

  /** Milliseconds of the range spent in each activity; a span that lasts counts to the range's end. */
  async activityTotals(machineId: MachineId, { from, to }: TimeRange): Promise<Readonly<Record<Activity, number>>> {
    const rows = await this.#postgres.query<{ activity: Activity; spentMs: number }>(ACTIVITY, [machineId, from, to]);
    const totals = { running: 0, stopped: 0, down: 0, fault: 0, offline: 0 };
    for (const { activity, spentMs } of rows) totals[activity] = spentMs;
    return totals;
  }

  workSessions(machineId: MachineId, limit: number): Promise<readonly WorkSession[]> {
    return this.#postgres.query(WORK_SESSIONS, [machineId, bounded(limit)]);
  }

  anomalies(machineId: MachineId, limit: number): Promise<readonly CounterAnomaly[]> {
    return this.#postgres.query(ANOMALIES, [machineId, bounded(limit)]);
  }
}

function bounded(limit: number): number {
  return Math.min(Math.max(0, Math.floor(limit)), MAX_ROWS);
}
