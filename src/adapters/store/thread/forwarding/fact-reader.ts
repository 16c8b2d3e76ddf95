import type { ShiftTotals } from '../../../../domain/machine/counters/counters.ts';
import type { Connection } from '../database/connection.ts';
import { NAMED_TOTALS } from '../shift-columns.ts';
import type { FactKey } from './fact-rows.ts';
import type { FactClass } from './queue/queue-classes.ts';
import type { QueueRow } from './queue/queue-rows.ts';
import { type Corrections, correctedAt } from './row-content.ts';

type ShiftRow = ShiftTotals & { readonly reading: string | null };
type Values = Readonly<Record<string, unknown>>;

/**
 * Reads the present content of queued facts from the history, with corrected times. Gives the fields of a BatchFact
 * (domain/sync/batch.ts) as JSON beside its kind, `"downtime":{…}`.
 */
export class FactReader {
  readonly #downtime;
  readonly #span;
  readonly #session;
  readonly #shift;
  readonly #part;

  constructor(connection: Connection) {
    this.#downtime = connection.prepare<[string], Values>(
      `SELECT downtime_id AS downtimeId, machine_id AS machineId, started_at AS startedAt, ended_at AS endedAt,
         reason_id AS reasonId, note, user_name AS userName FROM downtime WHERE downtime_id = ?`,
    );
    this.#span = connection.prepare<[string], Values>(
      `SELECT span_id AS spanId, machine_id AS machineId, activity, started_at AS startedAt, ended_at AS endedAt
       FROM span WHERE span_id = ?`,
    );
    this.#session = connection.prepare<[string], Values>(
      `SELECT session_id AS sessionId, machine_id AS machineId, job_number AS jobNumber, part_id AS partId,
         user_id AS userId, started_at AS startedAt, last_active_at AS lastActiveAt, ended_at AS endedAt,
         good_parts AS goodParts, bad_parts AS badParts, cycles FROM work_session WHERE session_id = ?`,
    );
    this.#shift = connection.prepare<[string, string, string], ShiftRow>(
      `SELECT ${NAMED_TOTALS}, reading FROM shift_totals
       WHERE machine_id = ? AND shift_date = ? AND shift_name = ?`,
    );
    this.#part = connection.prepare<[string], { readonly json: string | null; readonly at: number }>(
      'SELECT json, at FROM machine_part WHERE machine_id = ?',
    );
  }

  /** Null if the fact is no longer in the history, so that it will never be sent. */
  read(name: FactClass, row: QueueRow, corrections: Corrections): string | null {
    if (name === 'anomaly' || name === 'catchUp') {
      return field(name, { ...JSON.parse(row.body ?? 'null'), at: correctedAt(row, corrections) });
    }
    // Keys were written by fact-rows.ts.
    const key = JSON.parse(row.fact_key ?? 'null') as FactKey;
    if (name === 'downtimeRemoved') return `"downtimeId":${JSON.stringify(key[1])}`;
    if (key[0] === 'shift') return this.#shiftJson(key[1], key[2], key[3]);
    if (name === 'part') return this.#partJson(key[1]);
    if (name === 'downtime') return field('downtime', this.#downtime.get(key[1]));
    if (name === 'span') return field('span', this.#span.get(key[1]));
    return field('session', this.#session.get(key[1]));
  }

  #shiftJson(machineId: string, shiftDate: string, shiftName: string): string | null {
    const row = this.#shift.get(machineId, shiftDate, shiftName);
    if (row === undefined) return null;
    const { reading, ...totals } = row;
    const said = reading === null ? {} : { reading: JSON.parse(reading) };
    return field('shift', { machineId, shiftDate, shiftName, totals, ...said });
  }

  #partJson(machineId: string): string | null {
    const row = this.#part.get(machineId);
    if (row === undefined) return null;
    return `"machineId":${JSON.stringify(machineId)},"part":${row.json ?? 'null'},"at":${row.at}`;
  }
}

function field(name: string, value: Values | undefined): string | null {
  return value === undefined ? null : `${JSON.stringify(name)}:${JSON.stringify(value)}`;
}
