import type { Activity, Downtime, ShiftRecord, WorkSession } from '../../../../domain/machine/records.ts';
import type { ProducingMachine, ShiftOutcome } from '../../../../domain/production/production-sums.ts';
import {
  type Pieces,
  restateStops,
  type ShiftRecords,
  type ShiftSummary,
  summariseShift,
} from '../../../../domain/production/shift-summary.ts';
import type { PlannedShift } from '../../../../domain/shift/work-plan.ts';
import { type Connection, transact } from '../database/connection.ts';
import { insertInto } from '../database/insert-into.ts';
import { shiftSummary } from '../database/schema/machines.ts';
import { readSummary, writeSummary } from './summary-text.ts';

/** Summaries that are made and written in one transaction. */
const SUMMARIES_AT_ONCE = 20;

/** Start and end of a shift that the calendar does not have. */
const NO_TIME = 0;

interface Touching {
  readonly machineId: string;
  readonly from: number;
  readonly to: number;
}

interface StoredShift extends Pieces {
  readonly shiftDate: string;
  readonly shiftName: string;
  /** Null, like all fields below: the shift has no summary yet. */
  readonly startsAt: number | null;
  readonly endsAt: number | null;
  readonly isPlanned: 0 | 1 | null;
  readonly isStale: 0 | 1 | null;
  readonly targetParts: number | null;
  readonly content: string | null;
}

/** Shifts of one machine, in the order of their dates. */
interface ShiftRange {
  readonly shifts: readonly PlannedShift[];
  /** Only shifts of this name; null: all. */
  readonly shiftName: string | null;
  /** The present shift's pieces as the main thread knows them; null: it is not asked for. */
  readonly live: ShiftRecord | null;
  readonly nowAt: number;
}

/**
 * The shifts of machines as their records add up. A shift that is over is added up once and kept, because a range of 92
 * days has a million spans. What changes a record later marks it stale, and it is made again when it is asked for.
 */
export class ShiftSummaries {
  readonly #connection: Connection;
  readonly #stored;
  readonly #keep;
  readonly #spans;
  readonly #downtimes;
  readonly #sessions;
  readonly #markTime;
  readonly #markShift;
  readonly #markSince;
  readonly #downtime;

  constructor(connection: Connection) {
    this.#connection = connection;
    this.#keep = insertInto(connection, shiftSummary, { or: 'REPLACE' });
    this.#stored = connection.prepare<[string, string, string], StoredShift>(
      // An earlier version kept the present shift without its times.
      `WITH known_summary AS (SELECT * FROM shift_summary WHERE ends_at <> ${NO_TIME})
       SELECT shift_date AS shiftDate, shift_name AS shiftName, good_parts AS goodParts, bad_parts AS badParts, cycles,
         starts_at AS startsAt, ends_at AS endsAt, is_planned AS isPlanned, is_stale AS isStale,
         target_parts AS targetParts, content
       FROM shift_totals LEFT JOIN known_summary USING (machine_id, shift_date, shift_name)
       WHERE machine_id = ? AND shift_date BETWEEN ? AND ?`,
    );
    const touching = (columns: string, table: string) =>
      `SELECT ${columns}, started_at AS startedAt, ended_at AS endedAt FROM ${table}
       WHERE machine_id = @machineId AND started_at < @to AND (ended_at IS NULL OR ended_at > @from)
         AND started_at >= coalesce(
           (SELECT max(started_at) FROM ${table} WHERE machine_id = @machineId AND started_at <= @from), @from)
       ORDER BY started_at`;
    // Spans, downtimes and sessions of a machine do not overlap: the newest that began before is the only one to reach in.
    this.#spans = connection.prepare<Touching, { activity: Activity; startedAt: number; endedAt: number | null }>(
      touching('activity', 'span'),
    );
    this.#downtimes = connection.prepare<Touching, Pick<Downtime, 'reasonId' | 'startedAt' | 'endedAt'>>(
      touching('reason_id AS reasonId', 'downtime'),
    );
    this.#sessions = connection.prepare<Touching, WorkSession>(
      touching(
        `session_id AS sessionId, machine_id AS machineId, job_number AS jobNumber, part_id AS partId,
         user_id AS userId, last_active_at AS lastActiveAt, good_parts AS goodParts, bad_parts AS badParts, cycles`,
        'work_session',
      ),
    );
    this.#markTime = connection.prepare(
      `UPDATE shift_summary SET is_stale = 1 WHERE machine_id = @machineId AND ends_at > @startedAt
         AND starts_at < coalesce(@endedAt, ends_at)`,
    );
    this.#markShift = connection.prepare(
      `UPDATE shift_summary SET is_stale = 1
       WHERE machine_id = @machineId AND shift_date = @shiftDate AND shift_name = @shiftName`,
    );
    this.#markSince = connection.prepare<[number]>('UPDATE shift_summary SET is_stale = 1 WHERE ends_at > ?');
    this.#downtime = connection.prepare<[string], Pick<Downtime, 'machineId' | 'startedAt' | 'endedAt'>>(
      `SELECT machine_id AS machineId, started_at AS startedAt, ended_at AS endedAt FROM downtime WHERE downtime_id = ?`,
    );
  }

  /** To be called before a downtime is written or removed; `after` is null if it is removed. */
  noteDowntime(downtimeId: string, after: Downtime | null): void {
    const before = this.#downtime.get(downtimeId);
    for (const downtime of [before, after]) {
      if (downtime === undefined || downtime === null) continue;
      const { machineId, startedAt, endedAt } = downtime;
      this.#markTime.run({ machineId, startedAt, endedAt });
    }
  }

  /** The totals of a shift are written. */
  noteTotals({ machineId, shiftDate, shiftName }: ShiftRecord): void {
    this.#markShift.run({ machineId, shiftDate, shiftName });
  }

  /** The times of records since then were corrected. */
  noteCorrection(sinceAt: number): void {
    this.#markSince.run(sinceAt);
  }

  /** The records of a machine that touch a stretch of time, each list in the order of time. */
  touching(range: Touching): Omit<ShiftRecords, 'made'> {
    return {
      spans: this.#spans.all(range),
      downtimes: this.#downtimes.all(range),
      sessions: this.#sessions.all(range),
    };
  }

  /** The outcomes of one machine's shifts. Yields between pieces of work. */
  *outcomes(
    machine: ProducingMachine,
    { shifts, shiftName, live, nowAt }: ShiftRange,
  ): Generator<void, ShiftOutcome[], void> {
    const stored = this.#rows(machine.machineId, shifts, live);
    const wanted = withUnknown(shifts, stored).filter((shift) => shiftName === null || shift.shiftName === shiftName);
    yield;
    const outcomes: ShiftOutcome[] = [];
    const made: ShiftOutcome[] = [];
    for (const planned of wanted) {
      const row = stored.get(keyOf(planned));
      if (row === undefined) continue;
      const isKept = row.isStale === 0 && (row.endsAt ?? 0) <= nowAt;
      const outcome = this.#outcome(machine, planned, row, isKept ? row.content : null, nowAt);
      outcomes.push(outcome);
      if (isKept) continue;
      const { endMs } = outcome.shift;
      // A shift that the calendar does not have may be in it again, and is then added up with its times.
      if (endMs !== NO_TIME && endMs <= nowAt) made.push(outcome);
      if (made.length === SUMMARIES_AT_ONCE) this.#write(made.splice(0));
      yield;
    }
    this.#write(made);
    return outcomes;
  }

  /** `kept` is the summary as it is stored; null: it has to be made. */
  #outcome(
    machine: ProducingMachine,
    planned: PlannedShift,
    row: StoredShift,
    kept: string | null,
    nowAt: number,
  ): ShiftOutcome {
    const shift = asItWas(planned, row);
    const summary = kept === null ? this.#summarise(machine.machineId, shift, row, nowAt) : readSummary(kept);
    // A shift that was added up keeps the target that it had.
    const targetParts = row.content === null ? machine.targetPartsPerShift : row.targetParts;
    return { machine, shift, made: piecesOf(row), summary, targetParts };
  }

  #rows(machineId: string, shifts: readonly PlannedShift[], live: ShiftRecord | null): Map<string, StoredShift> {
    const [first, last] = [shifts[0], shifts.at(-1)];
    if (first === undefined || last === undefined) return new Map();
    const stored = this.#stored.all(machineId, first.shiftDate, last.shiftDate);
    const rows = new Map(stored.map((row) => [keyOf(row), row]));
    if (live === null) return rows;
    const { shiftDate, shiftName, totals } = live;
    return rows.set(keyOf(live), { ...(rows.get(keyOf(live)) ?? UNKNOWN), shiftDate, shiftName, ...piecesOf(totals) });
  }

  #summarise(machineId: string, shift: PlannedShift, row: StoredShift, nowAt: number): ShiftSummary {
    const records = this.touching({ machineId, from: shift.startMs, to: Math.min(shift.endMs, nowAt) });
    // Spans are deleted earlier than downtimes.
    if (records.spans.length === 0 && row.content !== null)
      return restateStops(readSummary(row.content), shift, records.downtimes);
    return summariseShift(shift, { made: piecesOf(row), ...records }, nowAt);
  }

  #write(made: readonly ShiftOutcome[]): void {
    if (made.length === 0) return;
    transact(this.#connection, () => {
      for (const { machine, shift, targetParts, summary } of made) {
        this.#keep({
          machineId: machine.machineId,
          shiftDate: shift.shiftDate,
          shiftName: shift.shiftName,
          startsAt: shift.startMs,
          endsAt: shift.endMs,
          isPlanned: shift.isPlanned ? 1 : 0,
          isStale: 0,
          targetParts,
          content: writeSummary(summary),
        });
      }
    });
  }
}

const UNKNOWN = {
  startsAt: null,
  endsAt: null,
  isPlanned: null,
  isStale: null,
  targetParts: null,
  content: null,
};

/** The shifts, and those with records that the calendar no longer has: nothing was planned of them. */
function withUnknown(
  shifts: readonly PlannedShift[],
  stored: ReadonlyMap<string, Pick<StoredShift, 'shiftDate' | 'shiftName'>>,
): readonly PlannedShift[] {
  const known = new Set(shifts.map(keyOf));
  const unknown = [...stored.values()].filter((row) => !known.has(keyOf(row)));
  if (unknown.length === 0) return shifts;
  const unplanned = { startMs: NO_TIME, endMs: NO_TIME, isPlanned: false, breaks: [] };
  return [...shifts, ...unknown.map(({ shiftDate, shiftName }) => ({ shiftDate, shiftName, ...unplanned }))];
}

function piecesOf({ goodParts, badParts, cycles }: Pieces): Pieces {
  return { goodParts, badParts, cycles };
}

function keyOf({ shiftDate, shiftName }: { readonly shiftDate: string; readonly shiftName: string }): string {
  return `${shiftDate} ${shiftName}`;
}

/** A shift keeps the times and the plan that it had when it was over. */
function asItWas(planned: PlannedShift, { startsAt, endsAt, isPlanned }: StoredShift): PlannedShift {
  if (startsAt === null || endsAt === null) return planned;
  return { ...planned, startMs: startsAt, endMs: endsAt, isPlanned: isPlanned === 1 };
}
