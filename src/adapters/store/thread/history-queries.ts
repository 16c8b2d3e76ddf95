import { and, asc, count, desc, eq, gt, gte, isNull, lt, lte, max, or, sql } from 'drizzle-orm';
import type { BetterSQLite3Database } from 'drizzle-orm/better-sqlite3';
import type { MachineId } from '../../../domain/machine/machine-names.ts';
import type {
  Activity,
  CounterAnomaly,
  Downtime,
  ShiftRecord,
  Span,
  WorkSession,
} from '../../../domain/machine/records.ts';
import type {
  DowntimeFilter,
  DowntimeSearch,
  ReasonCount,
  ReasonSearch,
  TimeRange,
} from '../../../flows/store-ports.ts';
import { anomaly, downtime, shiftTotals, span, workSession } from './database/schema/machines.ts';

/** The maximum number of rows in one answer. */
const MAX_ROWS = 10_000;

/** Machine ids were checked before they were stored. */
const asMachineId = (text: string): MachineId => text as MachineId;

export function downtimeRecord(row: typeof downtime.$inferSelect): Downtime {
  const { epoch: _, machineId, ...rest } = row;
  return { ...rest, machineId: asMachineId(machineId) };
}

/** Answers about the history of machines, newest first unless a comment says otherwise. */
export class HistoryQueries {
  readonly #database: BetterSQLite3Database;

  constructor(database: BetterSQLite3Database) {
    this.#database = database;
  }

  downtimes(machineId: MachineId, { uncategorizedOnly, limit, behind = null }: DowntimeFilter): Downtime[] {
    const rows = this.#database
      .select()
      .from(downtime)
      .where(
        and(
          eq(downtime.machineId, machineId),
          uncategorizedOnly ? isNull(downtime.reasonId) : undefined,
          behind === null ? undefined : isBehind(behind),
        ),
      )
      .orderBy(desc(downtime.startedAt), desc(downtime.downtimeId))
      .limit(bounded(limit))
      .all();
    return rows.map(downtimeRecord);
  }

  downtimesOf({ machineIds, uncategorizedOnly, range, limit }: DowntimeSearch): Downtime[] {
    const rows = this.#database
      .select()
      .from(downtime)
      .where(
        and(
          sql`${downtime.machineId} IN (SELECT value FROM json_each(${JSON.stringify(machineIds)}))`,
          uncategorizedOnly ? isNull(downtime.reasonId) : undefined,
          range === null ? undefined : isWithin(range),
        ),
      )
      .orderBy(desc(downtime.startedAt), desc(downtime.downtimeId))
      .limit(bounded(limit))
      .all();
    return rows.map(downtimeRecord);
  }

  longestDowntimes({ machineIds, reasonId, range, limit }: ReasonSearch): Downtime[] {
    const rows = this.#database
      .select()
      .from(downtime)
      .where(
        and(
          sql`${downtime.machineId} IN (SELECT value FROM json_each(${JSON.stringify(machineIds)}))`,
          reasonId === undefined
            ? undefined
            : reasonId === null
              ? isNull(downtime.reasonId)
              : eq(downtime.reasonId, reasonId),
          gte(downtime.startedAt, range.from),
          lt(downtime.startedAt, range.to),
        ),
      )
      // A downtime that lasts comes first.
      .orderBy(desc(sql`coalesce(${downtime.endedAt}, 1e15) - ${downtime.startedAt}`), desc(downtime.downtimeId))
      .limit(bounded(limit))
      .all();
    return rows.map(downtimeRecord);
  }

  reasonCounts(machineId: MachineId, since: number): ReasonCount[] {
    const uses = count();
    const rows = this.#database
      .select({ reasonId: downtime.reasonId, count: uses })
      .from(downtime)
      .where(
        and(eq(downtime.machineId, machineId), gte(downtime.startedAt, since), sql`${downtime.reasonId} IS NOT NULL`),
      )
      .groupBy(downtime.reasonId)
      .orderBy(desc(uses), asc(downtime.reasonId))
      .all();
    return rows.flatMap(({ reasonId, count }) => (reasonId === null ? [] : [{ reasonId, count }]));
  }

  downtime(downtimeId: string): Downtime | null {
    const row = this.#database.select().from(downtime).where(eq(downtime.downtimeId, downtimeId)).get();
    return row === undefined ? null : downtimeRecord(row);
  }

  /** In the order of their names. */
  shifts(machineId: MachineId, shiftDate: string): ShiftRecord[] {
    const rows = this.#database
      .select()
      .from(shiftTotals)
      .where(and(eq(shiftTotals.machineId, machineId), eq(shiftTotals.shiftDate, shiftDate)))
      .orderBy(asc(shiftTotals.shiftName))
      .all();
    return rows.map(({ machineId: id, shiftDate: date, shiftName, reading: _, ...totals }) => ({
      machineId: asMachineId(id),
      shiftDate: date,
      shiftName,
      totals,
    }));
  }

  /** Spans that touch the range, oldest first; the newest ones if there are too many. */
  spans(machineId: MachineId, range: TimeRange): Span[] {
    const rows = this.#database
      .select()
      .from(span)
      .where(this.#touching(machineId, range))
      .orderBy(desc(span.startedAt), desc(span.spanId))
      .limit(MAX_ROWS)
      .all();
    return rows.reverse().map(({ epoch: _, machineId: id, ...rest }) => ({ ...rest, machineId: asMachineId(id) }));
  }

  workSessions(machineId: MachineId, limit: number): WorkSession[] {
    const rows = this.#database
      .select()
      .from(workSession)
      .where(eq(workSession.machineId, machineId))
      .orderBy(desc(workSession.startedAt), desc(workSession.sessionId))
      .limit(bounded(limit))
      .all();
    return rows.map(({ epoch: _, machineId: id, ...rest }) => ({ ...rest, machineId: asMachineId(id) }));
  }

  anomalies(machineId: MachineId, limit: number): CounterAnomaly[] {
    const rows = this.#database
      .select()
      .from(anomaly)
      .where(eq(anomaly.machineId, machineId))
      .orderBy(desc(anomaly.at))
      .limit(bounded(limit))
      .all();
    return rows.map(({ machineId: id, at, counter, fromCount, toCount }) => ({
      machineId: asMachineId(id),
      at,
      counter,
      from: fromCount,
      to: toCount,
    }));
  }

  /** Milliseconds of the range spent in each activity; a span that lasts counts to the range's end. */
  activityTotals(machineId: MachineId, range: TimeRange): Record<Activity, number> {
    const totals = { running: 0, stopped: 0, down: 0, fault: 0, offline: 0 };
    const spent = sql<number>`sum(min(coalesce(${span.endedAt}, ${range.to}), ${range.to}) - max(${span.startedAt}, ${range.from}))`;
    const rows = this.#database
      .select({ activity: span.activity, spentMs: spent })
      .from(span)
      .where(this.#touching(machineId, range))
      .groupBy(span.activity)
      .all();
    for (const { activity, spentMs } of rows) totals[activity] = spentMs;
    return totals;
  }

  /** Spans of one machine never overlap, so the newest that starts before the range is the only one to reach into it. */
  #touching(machineId: MachineId, range: TimeRange) {
    const { earliest } = this.#database
      .select({ earliest: max(span.startedAt) })
      .from(span)
      .where(and(eq(span.machineId, machineId), lte(span.startedAt, range.from)))
      .get() ?? { earliest: null };
    return and(
      eq(span.machineId, machineId),
      gte(span.startedAt, earliest ?? range.from),
      lt(span.startedAt, range.to),
      or(isNull(span.endedAt), gt(span.endedAt, range.from)),
    );
  }
}

/** A downtime that lasts has no end yet. */
function isWithin({ from, to }: TimeRange) {
  return and(lt(downtime.startedAt, to), or(isNull(downtime.endedAt), gt(downtime.endedAt, from)));
}

/** In a list that has the newest first. */
function isBehind({ startedAt, downtimeId }: Pick<Downtime, 'downtimeId' | 'startedAt'>) {
  const isOlder = or(lt(downtime.startedAt, startedAt), lt(downtime.downtimeId, downtimeId));
  return and(lte(downtime.startedAt, startedAt), isOlder);
}

function bounded(limit: number): number {
  return Math.min(Math.max(0, Math.floor(limit)), MAX_ROWS);
}
